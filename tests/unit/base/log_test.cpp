#include "base/log.h"

#include <fcntl.h>
#include <unistd.h>

#include <catch2/catch_test_macros.hpp>
#include <filesystem>
#include <string>
#include <vector>

#include "base/error.h"
#include "base/file.h"
#include "base/text.h"

namespace hob {
namespace {

namespace fs = std::filesystem;

// What stderr gets while a function runs.
template <class F>
std::string stderr_of(F action) {
  const fs::path path = fs::temp_directory_path() / ("hob-stderr-" + std::to_string(getpid()));
  const int saved = dup(STDERR_FILENO);
  const int file = open(path.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
  dup2(file, STDERR_FILENO);
  close(file);
  action();
  dup2(saved, STDERR_FILENO);
  close(saved);
  const std::string text = read_file(path, 1'000'000);
  fs::remove(path);
  return text;
}

// case MON-06
TEST_CASE("messages go to stderr as plain lines where it is no terminal", "[base]") {
  CHECK(stderr_of([] {
          log::info("three {} %s");
          log::warn("two");
          log::error("one");
        }) == "three {} %s\nwarning: two\nerror: one\n");
}

TEST_CASE("a warning of one key is given once", "[base]") {
  CHECK(stderr_of([] {
          log::warn_once("log_test.a", "first");
          log::warn_once("log_test.a", "again");
          log::warn_once("log_test.b", "other");
        }) == "warning: first\nwarning: other\n");
}

TEST_CASE("the level keeps messages off stderr, and a listener hears all", "[base]") {
  std::vector<std::string> heard;
  log::set_listener([&](log::Level, const std::string& message) { heard.push_back(message); });
  log::set_stderr_level(log::Level::kError);
  CHECK(stderr_of([] {
          log::info("a");
          log::error("b");
        }) == "error: b\n");
  log::set_stderr_level(log::Level::kInfo);
  log::set_listener({});
  CHECK(heard == std::vector<std::string>{"a", "error: b"});
}

TEST_CASE("the log file gets every message with its time, and is appended to", "[base]") {
  const fs::path path = fs::temp_directory_path() / ("hob-log-" + std::to_string(getpid()));
  for (const char* message : {"one", "two"}) {
    log::open_file(path);
    stderr_of([&] { log::info(message); });
    log::close_file();
  }
  stderr_of([] { log::info("three"); });
  const std::vector<std::string> lines = split(read_file(path, 10'000), '\n');
  fs::remove(path);
  REQUIRE(lines.size() == 3);
  CHECK(lines[0].size() == std::string("2025-01-01 00:00:00.000 one").size());
  CHECK(lines[0].ends_with(" one"));
  CHECK(lines[1].ends_with(" two"));
  CHECK(lines[2].empty());
}

TEST_CASE("a log file that cannot be opened is an error that names it", "[base]") {
  try {
    log::open_file("/dev/null/run.log");
    FAIL("no error");
  } catch (const Error& failure) {
    CHECK(failure.fault() == Fault::kUsage);
    CHECK(std::string(failure.what()).find("/dev/null/run.log") != std::string::npos);
  }
}

}  // namespace
}  // namespace hob
