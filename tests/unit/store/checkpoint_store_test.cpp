#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <csignal>
#include <filesystem>
#include <stdexcept>
#include <string>
#include <vector>

#include <catch2/catch_test_macros.hpp>
#include <catch2/matchers/catch_matchers_exception.hpp>
#include <catch2/matchers/catch_matchers_string.hpp>

#include "base/error.h"
#include "base/file.h"
#include "support/raw_file.h"
#include "support/temp_folder.h"
#include "train/store/checkpoint_store.h"

namespace {

namespace fs = std::filesystem;
using Catch::Matchers::ContainsSubstring;
using Catch::Matchers::MessageMatches;
using hob::Error;
using hob::test::read_raw;
using hob::test::TempFolder;
using hob::test::write_raw;
using hob::train::Checkpoint;
using hob::train::CheckpointFile;
using hob::train::CheckpointStore;
using Numbers = std::vector<std::uint64_t>;

CheckpointFile file_of(const std::string& name, const std::string& content) {
  return {name, [content](const fs::path& path) { hob::write_file_atomic(path, content); }};
}

void save(CheckpointStore& store, std::uint64_t update, const std::string& content = "weights") {
  store.save(update,
             std::vector{file_of("model.safetensors", content), file_of("state.json", "{}")});
}

// The number that is used, and the reports about damaged ones on the way to it.
struct Latest {
  std::uint64_t update = 0;
  std::vector<std::string> reports;
};

Latest find_latest(const CheckpointStore& store) {
  Latest latest;
  auto found = store.latest_complete(
      [&](const Checkpoint&, const std::string& why) { latest.reports.push_back(why); });
  if (found) latest.update = found->update;
  return latest;
}

// Every name in the store's folder.
std::vector<std::string> names_in(const fs::path& dir) {
  std::vector<std::string> names;
  for (const auto& entry : fs::directory_iterator(dir)) names.push_back(entry.path().filename());
  std::sort(names.begin(), names.end());
  return names;
}

}  // namespace

TEST_CASE("a saved checkpoint holds its files and their checksums", "[store]") {
  TempFolder run;
  CheckpointStore store(run.path());
  CHECK(store.list().empty());
  CHECK_FALSE(store.latest_complete(nullptr));
  Checkpoint saved = store.save(7, std::vector{file_of("model.safetensors", "abc")});
  CHECK(saved.update == 7);
  CHECK(saved.dir == run / "checkpoints/7");
  CHECK(names_in(store.dir()) == std::vector<std::string>{"7"});
  CHECK(names_in(saved.dir) == std::vector<std::string>{"checksums.json", "model.safetensors"});
  // SHA-256 of "abc": FIPS 180-2, appendix B.1.
  CHECK_THAT(read_raw(saved.dir / "checksums.json"),
             ContainsSubstring("ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"));
  store.verify(7);
  CHECK(store.at(7).dir == saved.dir);
  CHECK_THROWS_MATCHES(store.at(8), Error,
                       MessageMatches(ContainsSubstring("no checkpoint 8; there are: '7'")));
}

TEST_CASE("checkpoints are ordered by number, and other names are ignored", "[store]") {
  // case CKP-01
  TempFolder run;
  CheckpointStore store(run.path());
  for (std::uint64_t update : {900, 10000, 1000, 9900}) save(store, update);
  CHECK(store.list() == Numbers{900, 1000, 9900, 10000});
  CHECK(find_latest(store).update == 10000);

  fs::create_directory(store.dir() / "latest");
  fs::create_directory(store.dir() / "99999x");
  fs::create_directory(store.dir() / "-5");
  fs::create_directory(store.dir() / "99999999999999999999999");
  write_raw(store.dir() / "70000", "a file");
  CHECK(store.list() == Numbers{900, 1000, 9900, 10000});

  save(store, 100000);
  fs::copy(store.dir() / "900", store.dir() / "0900000");
  CHECK(store.list() == Numbers{900, 1000, 9900, 10000, 100000, 900000});
  CHECK(find_latest(store).update == 900000);
  CHECK(find_latest(store).reports.empty());
}

TEST_CASE("the newest ones and the best stay when old ones are removed", "[store]") {
  // cases CKP-01, CKP-03
  TempFolder run;
  CheckpointStore store(run.path());
  for (std::uint64_t update : {10, 20, 30, 40}) {
    save(store, update);
    store.prune(1, 10);
  }
  CHECK(store.list() == Numbers{10, 40});
  for (std::uint64_t update = 9700; update <= 10200; update += 100) {
    save(store, update);
    store.prune(3, std::nullopt);
  }
  CHECK(store.list() == Numbers{10000, 10100, 10200});
  store.prune(0, std::nullopt);
  CHECK(store.list() == Numbers{10200});
  CHECK(names_in(store.dir()) == std::vector<std::string>{"10200"});
}

TEST_CASE("what was saved last is never removed, whatever numbers are beside it", "[store]") {
  TempFolder run;
  CheckpointStore store(run.path());
  save(store, 300);
  save(store, 200);
  fs::remove(store.dir() / "300/model.safetensors");
  save(store, 100);
  store.prune(1, std::nullopt);
  // 300 is damaged, so that it does not count; 200 is the newest, 100 the last one saved.
  CHECK(store.list() == Numbers{100, 200, 300});
}

TEST_CASE("a damaged checkpoint is reported and the one before it used", "[store]") {
  // case CKP-07
  TempFolder run;
  CheckpointStore store(run.path());
  save(store, 1);
  save(store, 2);
  auto damage = [&](const std::string& name, const std::string& content, const std::string& why) {
    std::string former = read_raw(store.dir() / "2" / name);
    write_raw(store.dir() / "2" / name, content);
    Latest latest = find_latest(store);
    CHECK(latest.update == 1);
    REQUIRE(latest.reports.size() == 1);
    CHECK_THAT(latest.reports[0],
               ContainsSubstring("checkpoints/2' is not a valid checkpoint: " + why));
    write_raw(store.dir() / "2" / name, former);
  };
  damage("model.safetensors", std::string(7, '\0'),
         "model.safetensors is not as it was written: its SHA-256 is");
  damage("model.safetensors", "weight", "model.safetensors has 6 bytes; it was written with 7");
  damage("checksums.json", std::string(300, '\0'), "checksums.json: not valid JSON");
  damage("checksums.json", "{}", "checksums.json: an object with 'format' 1");
  damage("checksums.json", "[]", "checksums.json: an object with 'format' 1");
  damage("checksums.json", R"({"format":1,"files":{"../x":{"bytes":1,"sha256":""}}})",
         "checksums.json: the record of '../x'");
  damage("checksums.json", R"({"format":1,"files":{"x":{"bytes":-1,"sha256":""}}})",
         "checksums.json: the record of 'x'");
  CHECK(find_latest(store).update == 2);

  fs::remove(store.dir() / "2/model.safetensors");
  CHECK_THROWS_MATCHES(store.verify(2), Error,
                       MessageMatches(ContainsSubstring("model.safetensors: No such file")));
  fs::remove(store.dir() / "1/checksums.json");
  CHECK(find_latest(store).update == 0);
  CHECK(find_latest(store).reports.size() == 2);
}

TEST_CASE("a damaged checkpoint that is set aside is no longer listed", "[store]") {
  TempFolder run;
  CheckpointStore store(run.path());
  save(store, 1);
  save(store, 2);
  store.set_aside(2);
  CHECK(store.list() == Numbers{1});
  CHECK(fs::exists(store.dir() / "damaged-2/model.safetensors"));
  save(store, 2);
  store.set_aside(2);
  CHECK(names_in(store.dir()) == std::vector<std::string>{"1", "damaged-2"});
  CHECK_THROWS_AS(store.set_aside(2), Error);
  CHECK(fs::exists(store.dir() / "damaged-2"));
}

TEST_CASE("a save that fails leaves the former checkpoints and nothing else", "[store]") {
  // case CKP-05
  TempFolder run;
  CheckpointStore store(run.path());
  save(store, 1);
  save(store, 2, "former");
  CheckpointFile broken{"b", [](const fs::path&) { throw std::runtime_error("copy failed"); }};
  CheckpointFile absent{"b", [](const fs::path&) {}};
  for (std::uint64_t update : {2, 3}) {
    CHECK_THROWS_MATCHES(store.save(update, std::vector{file_of("a", "x"), broken}),
                         std::runtime_error, MessageMatches(ContainsSubstring("copy failed")));
    CHECK_THROWS_MATCHES(store.save(update, std::vector{file_of("a", "x"), absent}), Error,
                         MessageMatches(ContainsSubstring("No such file")));
  }
  CHECK(names_in(store.dir()) == std::vector<std::string>{"1", "2"});
  CHECK(find_latest(store).update == 2);
  CHECK(read_raw(store.dir() / "2/model.safetensors") == "former");
  for (const char* name : {"", "..", "a/b", "checksums.json"}) {
    CHECK_THROWS_AS(store.save(3, std::vector{file_of(name, "x")}), std::logic_error);
  }
  CHECK_THROWS_AS(store.save(3, std::vector{file_of("a", "x"), file_of("a", "y")}),
                  std::logic_error);
}

TEST_CASE("a disk that is full leaves the former checkpoint loadable", "[store]") {
  // case CKP-05
  TempFolder run;
  CheckpointStore store(run.path());
  save(store, 1);
  // In a process of its own, whose files may not grow beyond 64 KiB.
  pid_t child = ::fork();
  if (child == 0) {
    std::signal(SIGXFSZ, SIG_IGN);
    rlimit limit{65536, 65536};
    ::setrlimit(RLIMIT_FSIZE, &limit);
    int outcome = 1;
    try {
      save(store, 2, std::string(5'000'000, 'x'));
    } catch (const Error& error) {
      std::string message = error.what();
      bool named = message.find("model.safetensors") != std::string::npos &&
                   message.find("File too large") != std::string::npos;
      outcome = named && error.fault() == hob::Fault::kRun ? 0 : 2;
    }
    ::_exit(outcome);
  }
  int status = -1;
  REQUIRE(::waitpid(child, &status, 0) == child);
  CHECK(WIFEXITED(status));
  CHECK(WEXITSTATUS(status) == 0);
  CHECK(names_in(store.dir()) == std::vector<std::string>{"1"});
  CHECK(find_latest(store).update == 1);
  CHECK(find_latest(store).reports.empty());
}

TEST_CASE("a checkpoint of the same number is replaced", "[store]") {
  TempFolder run;
  CheckpointStore store(run.path());
  save(store, 5, "first");
  save(store, 5, "second");
  CHECK(read_raw(store.dir() / "5/model.safetensors") == "second");
  CHECK(names_in(store.dir()) == std::vector<std::string>{"5"});
  store.verify(5);
}

TEST_CASE("what an interrupted process left is cleared", "[store]") {
  TempFolder run;
  CheckpointStore store(run.path());
  store.recover();  // nothing there yet
  save(store, 1, "one");
  save(store, 2, "two");
  fs::create_directory(store.dir() / ".tmp-3");
  write_raw(store.dir() / ".tmp-3/model.safetensors", "half");
  fs::copy(store.dir() / "1", store.dir() / ".trash-0");
  fs::copy(store.dir() / "1", store.dir() / ".old-2");    // replaced, not yet removed
  fs::rename(store.dir() / "1", store.dir() / ".old-1");  // its successor had not got the name
  CHECK(store.list() == Numbers{2});
  store.recover();
  CHECK(names_in(store.dir()) == std::vector<std::string>{"1", "2"});
  CHECK(read_raw(store.dir() / "1/model.safetensors") == "one");
  CHECK(read_raw(store.dir() / "2/model.safetensors") == "two");
}
