#include "app/verify_process.h"

#include <fcntl.h>
#include <poll.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <system_error>

#include "base/error.h"

namespace hob::app {
namespace {

namespace fs = std::filesystem;
using Clock = std::chrono::steady_clock;

[[noreturn]] void fail(const std::string& what) {
  throw Error(Fault::kRun, "a test cannot be started: " + what + ": " + std::strerror(errno));
}

// A new folder that is removed again with all that is in it.
class ScratchFolder {
 public:
  ScratchFolder() {
    std::string name = (fs::temp_directory_path() / "hob-verify-XXXXXX").string();
    if (mkdtemp(name.data()) == nullptr) fail("no folder can be made in " + name);
    path_ = name;
  }
  ~ScratchFolder() {
    std::error_code ignored;
    fs::remove_all(path_, ignored);
  }
  ScratchFolder(const ScratchFolder&) = delete;
  ScratchFolder& operator=(const ScratchFolder&) = delete;

  const fs::path& path() const { return path_; }

 private:
  fs::path path_;
};

class Pipe {
 public:
  Pipe() {
    if (pipe2(ends_, O_CLOEXEC) != 0 || fcntl(ends_[0], F_SETFL, O_NONBLOCK) != 0) fail("pipe");
  }
  ~Pipe() {
    close_writer();
    ::close(ends_[0]);
  }
  Pipe(const Pipe&) = delete;
  Pipe& operator=(const Pipe&) = delete;

  int reader() const { return ends_[0]; }
  int writer() const { return ends_[1]; }
  void close_writer() {
    if (ends_[1] >= 0) ::close(ends_[1]);
    ends_[1] = -1;
  }

 private:
  int ends_[2];
};

void limit_resources() {
  const rlimit no_core{0, 0};
  setrlimit(RLIMIT_CORE, &no_core);
  // A plugin that asks for all the memory there is gets an error, and the machine goes on.
  constexpr rlim_t kMemory = rlim_t{16} << 30;
  const rlimit memory{kMemory, kMemory};
  setrlimit(RLIMIT_DATA, &memory);
}

// The copy's side.
[[noreturn]] void run_and_end(const std::function<std::string()>& function, const Pipe& report_pipe,
                              const Pipe& output, const fs::path& scratch, pid_t parent,
                              Ending ending) {
  setpgid(0, 0);
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  if (getppid() != parent) _exit(127);  // it ended before the line above
  limit_resources();
  setenv("TMPDIR", scratch.c_str(), 1);
  dup2(::open("/dev/null", O_RDONLY | O_CLOEXEC), STDIN_FILENO);
  dup2(output.writer(), STDOUT_FILENO);
  dup2(output.writer(), STDERR_FILENO);
  int code = static_cast<int>(Fault::kRun);
  try {
    const std::string report = function();
    const auto size = static_cast<ssize_t>(report.size());
    if (::write(report_pipe.writer(), report.data(), report.size()) == size) code = 0;
  } catch (const std::exception& error) {
    std::fprintf(stderr, "%s\n", error.what());
  }
  if (ending == Ending::kOrdinary) std::exit(code);
  std::fflush(nullptr);
  _exit(code);
}

// Appends what is there to be read, and keeps the end of it. False when no more can come.
bool read_some(int descriptor, std::string& text, std::size_t keep) {
  char buffer[4096];
  ssize_t count = 0;
  while ((count = ::read(descriptor, buffer, sizeof buffer)) > 0) {
    text.append(buffer, static_cast<std::size_t>(count));
    if (text.size() > 2 * keep) text.erase(0, text.size() - keep);
  }
  return count < 0 && (errno == EAGAIN || errno == EINTR);
}

// Reads the child's pipes until it ends, which is what counts: others that it started may hold the
// pipes open for longer. Returns its status; it is killed at `end`.
int follow(pid_t child, const Pipe& report, const Pipe& output, Clock::time_point end,
           Finished& result) {
  constexpr std::size_t kMaxReport = 1 << 20, kMaxOutput = 1 << 13;
  constexpr int kLookAgainMs = 10;
  pollfd watched[] = {{report.reader(), POLLIN, 0}, {output.reader(), POLLIN, 0}};
  const auto read_all = [&] {
    if (!read_some(report.reader(), result.report, kMaxReport)) watched[0].fd = -1;
    if (!read_some(output.reader(), result.output, kMaxOutput)) watched[1].fd = -1;
  };
  int status = 0;
  for (;;) {
    if (poll(watched, 2, kLookAgainMs) < 0 && errno != EINTR) fail("poll");
    const pid_t found = waitpid(child, &status, WNOHANG);
    if (found < 0 && errno != EINTR) fail("waitpid");
    read_all();
    if (found == child) return status;
    if (result.timed_out || Clock::now() < end) continue;
    result.timed_out = true;
    kill(-child, SIGKILL);
  }
}

}  // namespace

Finished run_apart(const std::function<std::string()>& function, std::chrono::milliseconds limit,
                   Ending ending) {
  const ScratchFolder scratch;
  Pipe report, output;
  const auto start = Clock::now();
  const pid_t parent = getpid();
  const pid_t child = fork();
  if (child < 0) fail("fork");
  if (child == 0) run_and_end(function, report, output, scratch.path(), parent, ending);
  setpgid(child, child);  // here too, so that it holds from here on
  report.close_writer();
  output.close_writer();

  Finished result;
  const int status = follow(child, report, output, start + limit, result);
  kill(-child, SIGKILL);  // those that it left behind
  result.seconds = std::chrono::duration<double>(Clock::now() - start).count();
  if (WIFSIGNALED(status)) result.signal = WTERMSIG(status);
  if (WIFEXITED(status)) result.code = WEXITSTATUS(status);
  return result;
}

}  // namespace hob::app
