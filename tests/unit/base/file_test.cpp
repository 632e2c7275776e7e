#include "base/file.h"

#include <sys/stat.h>

#include <sys/resource.h>
#include <catch2/catch_test_macros.hpp>
#include <csignal>
#include <fstream>
#include <iterator>
#include <stdexcept>

namespace hob {
namespace {

namespace fs = std::filesystem;

class Folder {
 public:
  Folder() {
    std::string pattern = (fs::temp_directory_path() / "hob-test-XXXXXX").string();
    if (mkdtemp(pattern.data()) == nullptr) throw std::runtime_error("mkdtemp failed");
    path_ = pattern;
  }
  ~Folder() {
    std::error_code ignored;
    fs::remove_all(path_, ignored);
  }
  Folder(const Folder&) = delete;
  Folder& operator=(const Folder&) = delete;

  fs::path operator/(const char* name) const { return path_ / name; }
  long files() const {
    return std::distance(fs::directory_iterator(path_), fs::directory_iterator());
  }

 private:
  fs::path path_;
};

template <class F>
std::string error_of(F action) {
  try {
    action();
    return "";
  } catch (const Error& failure) {
    return failure.what();
  }
}

TEST_CASE("a file is read whole, up to the limit", "[base]") {
  const Folder folder;
  const std::string bytes = std::string(100'000, 'x') + '\0' + "end";
  std::ofstream(folder / "a", std::ios::binary) << bytes;
  CHECK(read_file(folder / "a", bytes.size()) == bytes);
  CHECK(error_of([&] { read_file(folder / "a", bytes.size() - 1); }) ==
        "cannot read '" + (folder / "a").string() + "': it is larger than the limit of 100003B");
}

TEST_CASE("what is no readable file is an error of the given fault", "[base]") {
  const Folder folder;
  const auto check = [](const fs::path& path, const std::string& cause) {
    try {
      read_file(path, 10, Fault::kUsage);
      FAIL("no error");
    } catch (const Error& failure) {
      CHECK(failure.fault() == Fault::kUsage);
      CHECK(std::string(failure.what()) == "cannot read '" + path.string() + "': " + cause);
    }
  };
  check(folder / "none", "No such file or directory");
  check(folder / "", "it is a folder, and a file was expected");
  check("/dev/zero", "it is not a regular file");
  REQUIRE(mkfifo((folder / "pipe").c_str(), 0600) == 0);
  check(folder / "pipe", "it is not a regular file");
}

TEST_CASE("an atomic file appears whole, with a new file's permissions", "[base]") {
  const Folder folder;
  const mode_t mask = umask(022);
  write_file_atomic(folder / "a", "one");
  umask(mask);
  CHECK(read_file(folder / "a", 10) == "one");
  CHECK(fs::status(folder / "a").permissions() == fs::perms(0644));
  write_file_atomic(folder / "a", "two");
  CHECK(read_file(folder / "a", 10) == "two");
  CHECK(folder.files() == 1);
}

TEST_CASE("an atomic file that is not committed leaves what was there", "[base]") {
  const Folder folder;
  write_file_atomic(folder / "a", "one");
  {
    AtomicFile file(folder / "a");
    file.write("half of tw");
    CHECK(folder.files() == 2);
  }
  CHECK(read_file(folder / "a", 10) == "one");
  CHECK(folder.files() == 1);
}

// case CKP-05
TEST_CASE("a write that fails names path and cause, and leaves the old file and no other",
          "[base]") {
  const Folder folder;
  write_file_atomic(folder / "a", "one");
  rlimit old_limit{};
  getrlimit(RLIMIT_FSIZE, &old_limit);
  const auto old_handler = std::signal(SIGXFSZ, SIG_IGN);
  const rlimit limit{1000, old_limit.rlim_max};
  REQUIRE(setrlimit(RLIMIT_FSIZE, &limit) == 0);
  const std::string error =
      error_of([&] { write_file_atomic(folder / "a", std::string(5000, 'x')); });
  setrlimit(RLIMIT_FSIZE, &old_limit);
  std::signal(SIGXFSZ, old_handler);
  CHECK(error == "cannot write '" + (folder / "a").string() + "': File too large");
  CHECK(read_file(folder / "a", 10) == "one");
  CHECK(folder.files() == 1);
}

TEST_CASE("a place that cannot be written to is an error with its cause", "[base]") {
  const Folder folder;
  CHECK(error_of([&] { write_file_atomic(folder / "none/a", "x"); }) ==
        "cannot write '" + (folder / "none/a").string() + "': No such file or directory");
  fs::create_directory(folder / "b");
  fs::create_directory(folder / "b/c");
  CHECK(error_of([&] { write_file_atomic(folder / "b", "x"); }) ==
        "cannot rename the new file to '" + (folder / "b").string() + "': Is a directory");
  CHECK(folder.files() == 1);
}

TEST_CASE("files and folders sync, and missing ones are errors", "[base]") {
  const Folder folder;
  write_file_atomic(folder / "a", "x");
  sync_file(folder / "a");
  sync_folder(folder / "");
  CHECK_THROWS_AS(sync_file(folder / "none"), Error);
  CHECK_THROWS_AS(sync_folder(folder / "a"), Error);
}

}  // namespace
}  // namespace hob
