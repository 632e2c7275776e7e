#include "data/input_file.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <string>
#include <system_error>
#include <utility>

#include "base/error.h"
#include "base/text.h"

namespace hob::data {

namespace {

[[noreturn]] void fail(Fault fault, const std::filesystem::path& path, int error) {
  throw Error(
      fault, "cannot read " + quote(path.string()) + ": " + std::generic_category().message(error));
}

}  // namespace

InputFile::InputFile(std::filesystem::path path)
    : path_(std::move(path)),
      // Not blocking: a pipe of that name must be refused, not waited for.
      descriptor_(::open(path_.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK)) {
  if (descriptor_ < 0) fail(Fault::kUsage, path_, errno);
  struct stat status {};
  if (::fstat(descriptor_, &status) != 0 || !S_ISREG(status.st_mode)) {
    ::close(descriptor_);
    throw Error(Fault::kUsage, "cannot read " + quote(path_.string()) + ": not a regular file");
  }
  size_ = static_cast<std::uint64_t>(status.st_size);
}

InputFile::InputFile(InputFile&& other) noexcept
    : path_(std::move(other.path_)),
      descriptor_(std::exchange(other.descriptor_, -1)),
      size_(other.size_) {}

InputFile::~InputFile() {
  if (descriptor_ >= 0) ::close(descriptor_);
}

void InputFile::read_at(std::uint64_t offset, std::span<std::byte> out) const {
  while (!out.empty()) {
    ssize_t count = ::pread(descriptor_, out.data(), out.size(), static_cast<off_t>(offset));
    if (count < 0) {
      if (errno == EINTR) continue;
      fail(Fault::kRun, path_, errno);
    }
    if (count == 0) {
      throw Error(Fault::kRun, "cannot read " + quote(path_.string()) + ": it ends at byte " +
                                   std::to_string(offset) + ", but had " + std::to_string(size_) +
                                   " bytes when it was opened; it was changed meanwhile");
    }
    out = out.subspan(static_cast<std::size_t>(count));
    offset += static_cast<std::uint64_t>(count);
  }
}

}  // namespace hob::data
