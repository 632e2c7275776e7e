#pragma once

#include <filesystem>
#include <span>
#include <string>

namespace hob::train {

inline constexpr const char* kChecksumsName = "checksums.json";

// Writes `checksums.json` of the named files of a folder: their sizes and SHA-256, as they are on
// the disk. Throws Error (run).
void write_checksums(const std::filesystem::path& dir, std::span<const std::string> names);

enum class Thoroughness {
  kSizes,      // files are there, with their sizes
  kChecksums,  // and their bytes are the recorded ones
};

// Compares a checkpoint's files with its `checksums.json`. Throws Error (run) that says "not a
// valid checkpoint", and names the first file that is not as recorded.
void check_files(const std::filesystem::path& dir, Thoroughness thoroughness);

}  // namespace hob::train
