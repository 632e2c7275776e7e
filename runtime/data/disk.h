#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <span>
#include <string>
#include <string_view>

namespace hob::data {

// Files whose bytes must survive a loss of power, and files that nobody vouches for. All throw
// Error with the path and the system's cause: (run) where a write or read fails, (usage) where a
// file to be read cannot be opened.

// "No such file or directory"; any thread.
std::string errno_text(int error);

// A file to be written from its start.
class OutputFile {
 public:
  explicit OutputFile(std::filesystem::path path);  // made, or emptied
  OutputFile(const OutputFile&) = delete;
  OutputFile& operator=(const OutputFile&) = delete;
  ~OutputFile();  // closes without a sync, for error paths

  void write(std::span<const std::byte> bytes);
  void write(std::string_view text);
  // Returns when the bytes are on the disk.
  void sync_and_close();

 private:
  std::filesystem::path path_;
  int fd_;
};

// A regular file to be read at any position, by any thread.
class InputFile {
 public:
  explicit InputFile(std::filesystem::path path);
  InputFile(InputFile&& other) noexcept;
  InputFile& operator=(InputFile&&) = delete;
  ~InputFile();

  const std::filesystem::path& path() const { return path_; }
  std::uint64_t size() const { return size_; }  // when it was opened

  // Fills `out`; a file that ends before is an error.
  void read_at(std::uint64_t offset, std::span<std::byte> out) const;

 private:
  std::filesystem::path path_;
  int fd_;
  std::uint64_t size_ = 0;
};

// The whole file; (usage) where it is larger than `max_bytes`.
std::string read_text(const std::filesystem::path& path, std::uint64_t max_bytes);

// Puts a folder's own entries (new names, renames) or a finished file on the disk.
void sync_path(const std::filesystem::path& path);

// Renames, and puts the change on the disk. A file at `to` is replaced.
void rename_durably(const std::filesystem::path& from, const std::filesystem::path& to);

// Replaces the file as a whole: `fill` writes `<path>.tmp`, which is synced and renamed. On failure
// the partial file is removed, and an old one is as it was.
void replace_file(const std::filesystem::path& path,
                  const std::function<void(OutputFile& file)>& fill);
void replace_file(const std::filesystem::path& path, std::string_view text);

}  // namespace hob::data
