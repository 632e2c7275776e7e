#include "base/file.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <cerrno>
#include <cstring>
#include <utility>

#include "base/text.h"

namespace hob {
namespace {

constexpr mode_t kNewFileMode = 0666;  // less the user's umask

class Descriptor {
 public:
  Descriptor(const std::filesystem::path& path, int flags) : value_(open(path.c_str(), flags)) {}
  ~Descriptor() {
    if (value_ >= 0) close(value_);
  }
  Descriptor(const Descriptor&) = delete;
  Descriptor& operator=(const Descriptor&) = delete;

  int value() const { return value_; }

 private:
  int value_;
};

[[noreturn]] void fail_with_errno(Fault fault, const char* action,
                                  const std::filesystem::path& path) {
  const std::string cause = std::strerror(errno);
  throw Error(fault, std::string("cannot ") + action + " " + quote(path.string()) + ": " + cause);
}

void sync_path(const std::filesystem::path& path, int flags) {
  const Descriptor descriptor(path, flags | O_RDONLY | O_CLOEXEC);
  if (descriptor.value() < 0 || fsync(descriptor.value()) != 0) {
    fail_with_errno(Fault::kRun, "sync", path);
  }
}

std::filesystem::path folder_of(const std::filesystem::path& path) {
  return path.has_parent_path() ? path.parent_path() : std::filesystem::path(".");
}

}  // namespace

std::string read_file(const std::filesystem::path& path, std::uint64_t limit_bytes, Fault fault) {
  const auto refuse = [&](const std::string& why) {
    throw Error(fault, "cannot read " + quote(path.string()) + ": " + why);
  };
  // O_NONBLOCK: opening a pipe that nobody writes to would wait for ever.
  const Descriptor descriptor(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
  struct stat status {};
  if (descriptor.value() < 0 || fstat(descriptor.value(), &status) != 0) {
    fail_with_errno(fault, "read", path);
  }
  if (S_ISDIR(status.st_mode)) refuse("it is a folder, and a file was expected");
  if (!S_ISREG(status.st_mode)) refuse("it is not a regular file");

  std::string content;
  std::array<char, 65536> chunk;
  while (true) {
    const ssize_t size = read(descriptor.value(), chunk.data(), chunk.size());
    if (size < 0 && errno == EINTR) continue;
    if (size < 0) fail_with_errno(fault, "read", path);
    if (size == 0) return content;
    content.append(chunk.data(), static_cast<std::size_t>(size));
    // Counted, not taken from the file's status: files under /proc state 0, and a file may grow.
    if (content.size() > limit_bytes) {
      refuse("it is larger than the limit of " +
             format_size(static_cast<std::int64_t>(limit_bytes)));
    }
  }
}

AtomicFile::AtomicFile(std::filesystem::path path) : path_(std::move(path)) {
  // Unique among live processes and threads. What a killed run of the same number left is replaced.
  static std::atomic<unsigned> count{0};
  temporary_ = path_;
  temporary_ += ".tmp-" + std::to_string(getpid()) + "-" + std::to_string(count++);
  descriptor_ =
      open(temporary_.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_NOFOLLOW | O_CLOEXEC, kNewFileMode);
  if (descriptor_ < 0) {
    temporary_.clear();
    fail_with_errno(Fault::kRun, "write", path_);
  }
}

AtomicFile::~AtomicFile() {
  if (descriptor_ >= 0) close(descriptor_);
  if (!temporary_.empty()) unlink(temporary_.c_str());
}

void AtomicFile::fail(const char* action) {
  const int cause = errno;
  if (descriptor_ >= 0) close(std::exchange(descriptor_, -1));
  unlink(temporary_.c_str());
  temporary_.clear();
  errno = cause;
  fail_with_errno(Fault::kRun, action, path_);
}

void AtomicFile::write(std::string_view bytes) {
  while (!bytes.empty()) {
    const ssize_t written = ::write(descriptor_, bytes.data(), bytes.size());
    if (written < 0 && errno == EINTR) continue;
    if (written < 0) fail("write");
    bytes.remove_prefix(static_cast<std::size_t>(written));
  }
}

void AtomicFile::commit() {
  if (fsync(descriptor_) != 0) fail("write");
  if (close(std::exchange(descriptor_, -1)) != 0) fail("write");
  if (rename(temporary_.c_str(), path_.c_str()) != 0) fail("rename the new file to");
  temporary_.clear();
  sync_folder(folder_of(path_));
}

void write_file_atomic(const std::filesystem::path& path, std::string_view bytes) {
  AtomicFile file(path);
  file.write(bytes);
  file.commit();
}

void sync_file(const std::filesystem::path& path) {
  sync_path(path, 0);
}

void sync_folder(const std::filesystem::path& folder) {
  sync_path(folder, O_DIRECTORY);
}

}  // namespace hob
