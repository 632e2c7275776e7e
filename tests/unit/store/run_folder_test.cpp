#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <filesystem>
#include <functional>
#include <iterator>
#include <string>

#include <catch2/catch_test_macros.hpp>
#include <catch2/matchers/catch_matchers_exception.hpp>
#include <catch2/matchers/catch_matchers_string.hpp>

#include "base/error.h"
#include "support/raw_file.h"
#include "support/temp_folder.h"
#include "train/store/run_folder.h"

namespace {

namespace fs = std::filesystem;
using Catch::Matchers::ContainsSubstring;
using hob::Error;
using hob::test::TempFolder;
using hob::test::write_raw;
using hob::train::RunFolder;
using Mode = RunFolder::Mode;

std::string refusal(const fs::path& dir, Mode mode) {
  try {
    RunFolder::open(dir, mode);
  } catch (const Error& error) {
    CHECK(error.fault() == hob::Fault::kUsage);
    return error.what();
  }
  return "accepted";
}

// Runs `body` as a user without privileges, in a process of its own; true if it returned true.
bool as_plain_user(const std::function<bool()>& body) {
  constexpr uid_t kNobody = 65534;
  pid_t child = ::fork();
  if (child == 0) {
    if (::geteuid() == 0 && ::setuid(kNobody) != 0) ::_exit(2);
    ::_exit(body() ? 0 : 1);
  }
  int status = -1;
  ::waitpid(child, &status, 0);
  return WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

}  // namespace

TEST_CASE("a new run's folder is made, with its parents", "[store]") {
  TempFolder temp;
  {
    RunFolder folder = RunFolder::open(temp / "runs/deep/one", Mode::kNew);
    CHECK(folder.dir() == temp / "runs/deep/one");
    CHECK(fs::is_directory(folder.dir()));
    CHECK_FALSE(fs::exists(folder.dir() / ".write-test"));
    RunFolder moved = std::move(folder);
    CHECK_THAT(refusal(moved.dir(), Mode::kNew), ContainsSubstring("is in use"));
  }
  CHECK(refusal(temp / "runs/deep/one", Mode::kNew) == "accepted");
  CHECK(refusal(temp / "runs/deep/two/", Mode::kNew) == "accepted");
}

TEST_CASE("a folder that is in use is refused with the process's number", "[store]") {
  TempFolder temp;
  RunFolder folder = RunFolder::open(temp / "run", Mode::kNew);
  CHECK_THAT(refusal(temp / "run", Mode::kNew),
             ContainsSubstring("is in use by process " + std::to_string(::getpid())));
  write_raw(temp / "run/hob.lock.toml", "");
  CHECK_THAT(refusal(temp / "run", Mode::kResume), ContainsSubstring("is in use by process"));
}

TEST_CASE("the lock of a process that died does not hold the folder", "[store]") {
  TempFolder temp;
  pid_t child = ::fork();
  if (child == 0) {
    RunFolder folder = RunFolder::open(temp / "run", Mode::kNew);
    ::_exit(0);  // no destructor runs
  }
  int status = -1;
  REQUIRE(::waitpid(child, &status, 0) == child);
  REQUIRE(fs::exists(temp / "run/.lock"));
  CHECK(refusal(temp / "run", Mode::kNew) == "accepted");
}

TEST_CASE("a folder that holds a run is resumed, never begun anew", "[store]") {
  TempFolder temp;
  CHECK_THAT(refusal(temp / "none", Mode::kResume), ContainsSubstring("holds no run to resume"));
  CHECK_FALSE(fs::exists(temp / "none"));

  for (const char* checkpoint : {"5", "damaged-5", ".old-5"}) {
    fs::create_directories(temp / "run/checkpoints" / checkpoint);
    CHECK_THAT(refusal(temp / "run", Mode::kNew),
               ContainsSubstring("holds a run already; continue it with 'hob resume'"));
    CHECK(std::distance(fs::directory_iterator(temp / "run"), {}) == 1);  // no litter
    CHECK(refusal(temp / "run", Mode::kResume) == "accepted");
    fs::remove_all(temp / "run");
  }
}

TEST_CASE("a run that never saved may begin anew", "[store]") {
  TempFolder temp;
  fs::create_directories(temp / "run/checkpoints/.tmp-5");
  write_raw(temp / "run/hob.lock.toml", "");
  CHECK(refusal(temp / "run", Mode::kNew) == "accepted");
  CHECK(refusal(temp / "run", Mode::kResume) == "accepted");
}

TEST_CASE("a place where no folder can be is refused with the cause, and nothing is left",
          "[store]") {
  // case CKP-08
  TempFolder temp;
  write_raw(temp / "file", "x");
  CHECK_THAT(refusal(temp / "file/run", Mode::kNew),
             ContainsSubstring("cannot be made") && ContainsSubstring("Not a directory"));
  CHECK_THAT(refusal(temp / "file", Mode::kNew), ContainsSubstring("is not a folder"));
  CHECK_THAT(refusal("/proc/hob/run", Mode::kNew), ContainsSubstring("'/proc/hob'"));
  CHECK_THAT(refusal(temp / ("made/" + std::string(300, 'n')), Mode::kNew),
             ContainsSubstring("File name too long"));
  CHECK(std::distance(fs::directory_iterator(temp.path()), {}) == 1);
}

TEST_CASE("a read-only folder is refused with the cause", "[store]") {
  // case CKP-08
  TempFolder temp;
  ::chmod(temp.path().c_str(), 0755);
  fs::create_directory(temp / "run");
  fs::create_directory(temp / "locked");
  write_raw(temp / "locked/.lock", "");
  ::chmod((temp / "locked/.lock").c_str(), 0666);
  for (const char* name : {"run", "locked"}) ::chmod((temp / name).c_str(), 0555);
  auto denied = [&](const std::string& name) {
    return as_plain_user([&] {
      return refusal(temp / name, Mode::kNew).find("Permission denied") != std::string::npos;
    });
  };
  CHECK(denied("run"));
  CHECK(denied("run/below"));
  CHECK(denied("locked"));
  CHECK(fs::is_empty(temp / "run"));
  for (const char* name : {"run", "locked"}) ::chmod((temp / name).c_str(), 0755);
}
