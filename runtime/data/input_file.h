#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <span>

namespace hob::data {

// A regular file to be read at any position, by any thread.
class InputFile {
 public:
  // Throws Error (usage) with the path and the system's cause.
  explicit InputFile(std::filesystem::path path);
  InputFile(InputFile&& other) noexcept;
  InputFile& operator=(InputFile&&) = delete;
  ~InputFile();

  const std::filesystem::path& path() const { return path_; }
  std::uint64_t size() const { return size_; }  // when it was opened

  // Fills `out` from the file's byte `offset` on. Throws Error (run) where the file cannot be read
  // or ends before.
  void read_at(std::uint64_t offset, std::span<std::byte> out) const;

 private:
  std::filesystem::path path_;
  int descriptor_;
  std::uint64_t size_ = 0;
};

}  // namespace hob::data
