#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>

#include "base/error.h"

namespace hob {

// A whole regular file, in memory. Throws hob::Error of the given fault where it is missing, no
// regular file, cannot be read, or is larger than the limit.
std::string read_file(const std::filesystem::path& path, std::uint64_t limit_bytes,
                      Fault fault = Fault::kRun);

// A file that appears under its name complete or not at all, also after a power cut: written beside
// it under a temporary name, fsynced, renamed over it, the folder fsynced. Without commit() the
// temporary file is removed and what stood under the name before is untouched. Errors are
// hob::Error (kRun) with path and cause.
class AtomicFile {
 public:
  explicit AtomicFile(std::filesystem::path path);
  ~AtomicFile();
  AtomicFile(const AtomicFile&) = delete;
  AtomicFile& operator=(const AtomicFile&) = delete;

  void write(std::string_view bytes);
  void commit();

 private:
  [[noreturn]] void fail(const char* action);

  std::filesystem::path path_;
  std::filesystem::path temporary_;
  int descriptor_ = -1;
};

// All of the above in one call.
void write_file_atomic(const std::filesystem::path& path, std::string_view bytes);

// Waits until a file's bytes, or a folder's entries, are on the disk. Throws hob::Error (kRun).
void sync_file(const std::filesystem::path& path);
void sync_folder(const std::filesystem::path& folder);

}  // namespace hob
