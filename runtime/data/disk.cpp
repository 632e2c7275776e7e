#include "data/disk.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <system_error>
#include <utility>

#include "base/error.h"

namespace hob::data {

namespace fs = std::filesystem;

namespace {

[[noreturn]] void fail(Fault fault, const fs::path& path, const std::string& what, int error) {
  throw Error(fault, path.string() + ": " + what + ": " + errno_text(error));
}

// A folder to name in a sync: the parent of "file" is ".".
fs::path parent_of(const fs::path& path) {
  return path.has_parent_path() ? path.parent_path() : fs::path(".");
}

}  // namespace

std::string errno_text(int error) {
  return std::generic_category().message(error);
}

OutputFile::OutputFile(fs::path path)
    : path_(std::move(path)),
      fd_(::open(path_.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666)) {
  if (fd_ < 0) fail(Fault::kRun, path_, "cannot be created", errno);
}

OutputFile::~OutputFile() {
  if (fd_ >= 0) ::close(fd_);
}

void OutputFile::write(std::span<const std::byte> bytes) {
  while (!bytes.empty()) {
    ssize_t written = ::write(fd_, bytes.data(), bytes.size());
    if (written < 0) {
      if (errno == EINTR) continue;
      fail(Fault::kRun, path_, "cannot be written", errno);
    }
    bytes = bytes.subspan(static_cast<std::size_t>(written));
  }
}

void OutputFile::write(std::string_view text) {
  write(std::as_bytes(std::span(text)));
}

void OutputFile::sync_and_close() {
  if (::fsync(fd_) != 0) fail(Fault::kRun, path_, "cannot be synced to the disk", errno);
  // Network file systems report a full disk here.
  if (::close(std::exchange(fd_, -1)) != 0) fail(Fault::kRun, path_, "cannot be closed", errno);
}

InputFile::InputFile(fs::path path)
    : path_(std::move(path)),
      // Not blocking: a pipe of that name must be refused, not waited for.
      fd_(::open(path_.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK)) {
  if (fd_ < 0) fail(Fault::kUsage, path_, "cannot be opened", errno);
  struct stat status {};
  if (::fstat(fd_, &status) != 0 || !S_ISREG(status.st_mode)) {
    ::close(fd_);
    throw Error(Fault::kUsage, path_.string() + ": not a regular file");
  }
  size_ = static_cast<std::uint64_t>(status.st_size);
}

InputFile::InputFile(InputFile&& other) noexcept
    : path_(std::move(other.path_)), fd_(std::exchange(other.fd_, -1)), size_(other.size_) {}

InputFile::~InputFile() {
  if (fd_ >= 0) ::close(fd_);
}

void InputFile::read_at(std::uint64_t offset, std::span<std::byte> out) const {
  while (!out.empty()) {
    ssize_t count = ::pread(fd_, out.data(), out.size(), static_cast<off_t>(offset));
    if (count < 0) {
      if (errno == EINTR) continue;
      fail(Fault::kRun, path_, "cannot be read", errno);
    }
    if (count == 0) {
      throw Error(Fault::kRun, path_.string() + ": ends at byte " + std::to_string(offset) +
                                   ", but had " + std::to_string(size_) +
                                   " bytes when it was opened: it was changed meanwhile");
    }
    out = out.subspan(static_cast<std::size_t>(count));
    offset += static_cast<std::uint64_t>(count);
  }
}

std::string read_text(const fs::path& path, std::uint64_t max_bytes) {
  InputFile file(path);
  if (file.size() > max_bytes) {
    throw Error(Fault::kUsage, path.string() + ": has " + std::to_string(file.size()) +
                                   " bytes, more than the " + std::to_string(max_bytes) +
                                   " that such a file may have");
  }
  std::string text(file.size(), '\0');
  file.read_at(0, std::as_writable_bytes(std::span(text)));
  return text;
}

void sync_path(const fs::path& path) {
  int fd = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (fd < 0) fail(Fault::kRun, path, "cannot be opened", errno);
  int error = ::fsync(fd) == 0 ? 0 : errno;
  ::close(fd);
  // Some file systems cannot sync a folder, and say so with EINVAL: nothing is left to be done.
  if (error != 0 && error != EINVAL) fail(Fault::kRun, path, "cannot be synced to the disk", error);
}

void rename_durably(const fs::path& from, const fs::path& to) {
  std::error_code error;
  fs::rename(from, to, error);
  if (error) {
    fail(Fault::kRun, from, "cannot be renamed to " + to.filename().string(), error.value());
  }
  sync_path(parent_of(to));
}

void replace_file(const fs::path& path, const std::function<void(OutputFile& file)>& fill) {
  fs::path partial = path.string() + ".tmp";
  try {
    OutputFile file(partial);
    fill(file);
    file.sync_and_close();
    rename_durably(partial, path);
  } catch (...) {
    std::error_code ignored;  // the first error is the one to report
    fs::remove(partial, ignored);
    throw;
  }
}

void replace_file(const fs::path& path, std::string_view text) {
  replace_file(path, [&](OutputFile& file) { file.write(text); });
}

}  // namespace hob::data
