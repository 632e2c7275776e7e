#include <hob/abi/monitor.h>
#include <pty.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <catch2/catch_test_macros.hpp>
#include <catch2/matchers/catch_matchers_string.hpp>
#include <cstdlib>
#include <functional>
#include <thread>

#include "unit/plugins/fake_host.h"

using namespace hob::test;
using Catch::Matchers::ContainsSubstring;

namespace {

void tell(const Instance& monitor, hob_event_kind kind, uint64_t update, double elapsed_s,
          const std::vector<hob_scalar>& scalars = {}) {
  hob_event event{};
  event.struct_size = sizeof event;
  event.kind = kind;
  event.update = update;
  event.total_updates = 100;
  event.total_epochs = 4;
  event.epoch = update / 25;
  event.samples = 32 * update;
  event.elapsed_s = elapsed_s;
  event.scalars = scalars.data();
  event.n_scalars = static_cast<uint32_t>(scalars.size());
  event.run_name = "test";
  event.run_dir = "/nowhere";
  monitor.call(&hob_monitor::on_event, &event);
}

void tell_a_run(const Instance& console) {
  tell(console, HOB_EVENT_RUN_BEGIN, 0, 0);
  for (uint64_t u = 10; u <= 50; u += 10) {
    tell(console, HOB_EVENT_UPDATE_END, u, static_cast<double>(u) / 10,
         {{"loss", 1.25}, {"lr", 0.5}});
  }
  tell(console, HOB_EVENT_EVAL_END, 50, 5.5, {{"loss", 1.5}, {"accuracy", 0.875}});
  tell(console, HOB_EVENT_UPDATE_END, 60, 6.5, {{"loss", 1}, {"lr", 0.5}});
  tell(console, HOB_EVENT_UPDATE_END, 100, 10.5, {{"loss", 1}, {"lr", 0.5}});
  tell(console, HOB_EVENT_RUN_END, 100, 125);
}

// What is written to standard output while `action` runs with `end` in its place.
std::string captured(int read_end, int write_end, const std::function<void()>& action) {
  std::string text;
  std::thread reader([&] {
    char buffer[4096];
    ssize_t count;
    while ((count = ::read(read_end, buffer, sizeof buffer)) > 0) {
      text.append(buffer, static_cast<size_t>(count));
    }
  });
  const int before = ::dup(STDOUT_FILENO);
  ::dup2(write_end, STDOUT_FILENO);
  ::close(write_end);
  action();
  ::dup2(before, STDOUT_FILENO);  // the last writer is gone: the reader ends
  ::close(before);
  reader.join();
  ::close(read_end);
  return text;
}

std::string piped(const std::function<void()>& action) {
  int ends[2];
  REQUIRE(::pipe(ends) == 0);
  return captured(ends[0], ends[1], action);
}

std::string on_terminal(unsigned short columns, const std::function<void()>& action) {
  int master = -1, slave = -1;
  winsize size{24, columns, 0, 0};
  REQUIRE(::openpty(&master, &slave, nullptr, nullptr, &size) == 0);
  return captured(master, slave, action);
}

}  // namespace

// case MON-06
TEST_CASE("the console writes plain lines to what is no terminal", "[console]") {
  const std::string text = piped([] { tell_a_run(Instance("console")); });
  CHECK(text.find('\r') == std::string::npos);
  CHECK(text.find('\x1b') == std::string::npos);
  CHECK(text ==
        "update 10/100  epoch 1/4  loss 1.25  lr 0.5  320 samples/s  left 9s\n"
        "eval at update 50  loss 1.5  accuracy 0.875\n"
        "update 60/100  epoch 3/4  loss 1  lr 0.5  accuracy 0.875  320 samples/s  left 4s\n"
        "done after 100 updates in 2m 05s\n");
}

TEST_CASE("the console writes each line where interval_s is 0", "[console]") {
  const std::string text = piped([] { tell_a_run(Instance("console", {{"interval_s", 0.0}})); });
  CHECK(std::count(text.begin(), text.end(), '\n') == 9);
}

TEST_CASE("the console says where a run stopped", "[console]") {
  const std::string text = piped([] {
    const Instance console("console");
    tell(console, HOB_EVENT_RUN_BEGIN, 20, 0);
    tell(console, HOB_EVENT_RUN_END, 40, 3700);
  });
  CHECK(text == "stopped after 40 updates in 1h 01m\n");
}

// case MON-06
TEST_CASE("the console draws one line on a terminal and never beyond its width", "[console]") {
  ::setenv("TERM", "xterm", 1);
  ::unsetenv("NO_COLOR");
  for (const unsigned short columns : {200, 80, 40, 5, 1, 0}) {
    const std::string text = on_terminal(columns, [] { tell_a_run(Instance("console")); });
    const size_t width = columns ? columns : 80;
    size_t at = 0;
    int drawn = 0;
    while ((at = text.find("\r", at)) != std::string::npos) {
      const size_t end = text.find("\x1b[K\r", ++at);
      if (end == std::string::npos) break;
      const std::string line = text.substr(at, end - at);
      if (line.find_first_of("\r\n") != std::string::npos) continue;
      CHECK(line.size() < width);
      ++drawn;
    }
    CHECK(drawn >= 7);
    CHECK_THAT(text, ContainsSubstring("eval at update 50  loss 1.5  accuracy 0.875\r\n"));
  }
  CHECK_THAT(on_terminal(200, [] { tell_a_run(Instance("console")); }),
             ContainsSubstring("\r[###############---------------]  update 50/100"));
}

// case MON-06
TEST_CASE("the console writes plain lines where NO_COLOR or TERM ask for them", "[console]") {
  const auto run = [] { tell_a_run(Instance("console")); };
  ::setenv("TERM", "xterm", 1);
  ::setenv("NO_COLOR", "1", 1);
  CHECK(on_terminal(80, run).find('\x1b') == std::string::npos);
  ::unsetenv("NO_COLOR");
  for (const char* term : {"dumb", ""}) {
    ::setenv("TERM", term, 1);
    CHECK(on_terminal(80, run).find('\x1b') == std::string::npos);
  }
  ::setenv("TERM", "xterm", 1);
}

// case MON-06
TEST_CASE("a reader of the console that goes away is an error of the monitor, not a signal",
          "[console]") {
  int ends[2];
  REQUIRE(::pipe(ends) == 0);
  ::close(ends[0]);
  const int before = ::dup(STDOUT_FILENO);
  ::dup2(ends[1], STDOUT_FILENO);
  ::close(ends[1]);
  std::string message;
  try {
    tell_a_run(Instance("console"));  // SIGPIPE would end this process
  } catch (const PluginFailure& failure) {
    message = failure.what();
  }
  ::dup2(before, STDOUT_FILENO);
  ::close(before);
  CHECK_THAT(message, ContainsSubstring("standard output is closed"));
}
