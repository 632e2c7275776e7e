#include "train/store/run_folder.h"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <string>
#include <system_error>
#include <utility>
#include <vector>

#include "base/error.h"
#include "base/file.h"
#include "base/text.h"

namespace hob::train {

namespace fs = std::filesystem;

namespace {

constexpr const char* kCheckpointsName = "checkpoints";
constexpr const char* kLockName = ".lock";
constexpr const char* kProbeName = ".write-test";

[[noreturn]] void refuse(const fs::path& dir, const std::string& what) {
  throw Error(Fault::kUsage, "the run folder " + quote(dir.string()) + " " + what);
}

std::string errno_text(int error) {
  return std::generic_category().message(error);
}

bool holds_run(const fs::path& dir) {
  std::error_code ignored;
  return fs::exists(dir / kLockRecipeName, ignored) || fs::exists(dir / kCheckpointsName, ignored);
}

// Anything but what an interrupted save left.
bool holds_checkpoints(const fs::path& dir) {
  std::error_code ignored;
  for (fs::directory_iterator at(dir / kCheckpointsName, ignored), end; !ignored && at != end;
       at.increment(ignored)) {
    if (at->path().filename().string().rfind(".tmp-", 0) != 0) return true;
  }
  return false;
}

void check_mode(const fs::path& dir, RunFolder::Mode mode) {
  if (mode == RunFolder::Mode::kNew && holds_checkpoints(dir)) {
    refuse(dir, "holds a run already; continue it with 'hob resume', or give another run.dir");
  }
  if (mode == RunFolder::Mode::kResume && !holds_run(dir)) {
    refuse(dir, "holds no run to resume: neither " + std::string(kLockRecipeName) +
                    " nor checkpoints are in it");
  }
}

// What this call made, to be unmade where the folder is refused after all.
class Litter {
 public:
  Litter() = default;
  Litter(const Litter&) = delete;
  Litter& operator=(const Litter&) = delete;
  ~Litter() {
    std::error_code ignored;  // a folder that is in use by now is not empty, and stays
    for (auto it = paths_.rbegin(); it != paths_.rend(); ++it) fs::remove(*it, ignored);
  }

  void add(fs::path path) { paths_.push_back(std::move(path)); }
  void keep() { paths_.clear(); }

 private:
  std::vector<fs::path> paths_;
};

void make_folders(const fs::path& dir, Litter& litter) {
  std::vector<fs::path> missing;
  std::error_code error;
  for (fs::path path = dir; !path.empty() && !fs::exists(path, error); path = path.parent_path()) {
    missing.push_back(path);
  }
  for (auto it = missing.rbegin(); it != missing.rend(); ++it) {
    bool made = fs::create_directory(*it, error);
    if (error) refuse(dir, "cannot be made: " + quote(it->string()) + ": " + error.message());
    if (made) litter.add(*it);
  }
  if (!fs::is_directory(dir, error)) refuse(dir, "is not a folder");
}

[[noreturn]] void refuse_in_use(const fs::path& dir, int lock) {
  std::array<char, 32> text{};
  ssize_t size = ::pread(lock, text.data(), text.size(), 0);
  std::string pid(text.data(), size > 0 ? static_cast<std::size_t>(size) : 0);
  pid = pid.substr(0, pid.find('\n'));
  refuse(dir, "is in use by process " + (pid.empty() ? "of unknown number" : pid) +
                  "; wait for it, or give another run.dir");
}

// Whether the descriptor is of the file that has the path now: a refused opener removes its own.
bool is_same_file(int descriptor, const fs::path& path) {
  struct stat opened {};
  struct stat named {};
  return ::fstat(descriptor, &opened) == 0 && ::stat(path.c_str(), &named) == 0 &&
         opened.st_dev == named.st_dev && opened.st_ino == named.st_ino;
}

// A descriptor that holds the folder's lock.
int take_lock(const fs::path& dir, Litter& litter) {
  const fs::path path = dir / kLockName;
  while (true) {
    std::error_code ignored;
    bool existed = fs::exists(path, ignored);
    int lock = ::open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0666);
    if (lock < 0) refuse(dir, "cannot be written: " + errno_text(errno));
    if (::flock(lock, LOCK_EX | LOCK_NB) != 0) {
      int error = errno;
      if (error == EWOULDBLOCK) {
        try {
          refuse_in_use(dir, lock);
        } catch (...) {
          ::close(lock);
          throw;
        }
      }
      ::close(lock);
      refuse(dir, "cannot be locked: " + errno_text(error));
    }
    if (is_same_file(lock, path)) {
      if (!existed) litter.add(path);
      return lock;
    }
    ::close(lock);
  }
}

void write_pid(const fs::path& dir, int lock) {
  std::string pid = std::to_string(::getpid()) + "\n";
  if (::ftruncate(lock, 0) != 0 ||
      ::pwrite(lock, pid.data(), pid.size(), 0) != static_cast<ssize_t>(pid.size())) {
    refuse(dir, "cannot be written: " + errno_text(errno));
  }
}

void test_write(const fs::path& dir) {
  try {
    write_file_atomic(dir / kProbeName, "hob\n");
  } catch (const Error& error) {
    refuse(dir, std::string("cannot be written: ") + error.what());
  }
  std::error_code ignored;
  fs::remove(dir / kProbeName, ignored);
}

}  // namespace

RunFolder RunFolder::open(const fs::path& dir, Mode mode) {
  check_mode(dir, mode);
  RunFolder folder(dir, -1);
  Litter litter;  // removed, where it is, before the lock is let go
  make_folders(dir, litter);
  folder.lock_fd_ = take_lock(dir, litter);
  // Once more: another process may have run here, start to end, before this one had the lock.
  check_mode(dir, mode);
  write_pid(dir, folder.lock_fd_);
  test_write(dir);
  litter.keep();
  return folder;
}

RunFolder::RunFolder(fs::path dir, int lock_fd) : dir_(std::move(dir)), lock_fd_(lock_fd) {}

RunFolder::RunFolder(RunFolder&& other) noexcept
    : dir_(std::move(other.dir_)), lock_fd_(std::exchange(other.lock_fd_, -1)) {}

RunFolder& RunFolder::operator=(RunFolder&& other) noexcept {
  std::swap(dir_, other.dir_);
  std::swap(lock_fd_, other.lock_fd_);
  return *this;
}

RunFolder::~RunFolder() {
  if (lock_fd_ >= 0) ::close(lock_fd_);
}

}  // namespace hob::train
