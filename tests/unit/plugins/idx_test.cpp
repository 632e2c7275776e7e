#include <zlib.h>

#include <catch2/catch_test_macros.hpp>
#include <catch2/matchers/catch_matchers_string.hpp>
#include <filesystem>

#include "support/raw_file.h"
#include "support/temp_folder.h"
#include "unit/plugins/fake_host.h"

using namespace hob::test;
using Catch::Matchers::ContainsSubstring;
using Strings = std::vector<std::string>;

namespace {

std::string big_endian(uint32_t n) {
  return {static_cast<char>(n >> 24), static_cast<char>(n >> 16), static_cast<char>(n >> 8),
          static_cast<char>(n)};
}

// Pixel i of image n is 10 * n + i.
std::string images(uint32_t count, uint32_t height = 2, uint32_t width = 3) {
  std::string bytes = big_endian(2051) + big_endian(count) + big_endian(height) + big_endian(width);
  for (uint32_t n = 0; n < count; ++n) {
    for (uint32_t i = 0; i < height * width; ++i) bytes += static_cast<char>(10 * n + i);
  }
  return bytes;
}
std::string labels(const std::vector<uint8_t>& values) {
  return big_endian(2049) + big_endian(static_cast<uint32_t>(values.size())) +
         std::string(values.begin(), values.end());
}

void write_gzip(const std::filesystem::path& path, const std::string& bytes) {
  gzFile file = gzopen(path.c_str(), "wb");
  gzwrite(file, bytes.data(), static_cast<unsigned>(bytes.size()));
  gzclose(file);
}

// A folder with two images and two labels, of which a test makes one file wrong.
struct Folder : TempFolder {
  Folder() {
    write_raw(*this / "train-images-idx3-ubyte", images(2));
    write_raw(*this / "train-labels-idx1-ubyte", labels({7, 2}));
  }
  Overrides params(Overrides more = {}) const {
    more["path"] = path().string();
    return more;
  }
};

std::string message(const Overrides& params) {
  try {
    const Instance idx("idx", params);
  } catch (const PluginFailure& failure) {
    return failure.what();
  }
  return "no error";
}

void check_content(const Instance& idx) {
  uint64_t size = 0;
  idx.call(&hob_dataset::size, &size);
  REQUIRE(size == 2);
  auto sample = read_sample(idx, 1);
  const auto pixels = sample[0].as<uint8_t>();
  CHECK(std::vector<uint8_t>(pixels.begin(), pixels.end()) ==
        std::vector<uint8_t>{10, 11, 12, 13, 14, 15});
  CHECK(sample[1].as<int64_t>()[0] == 2);
}

}  // namespace

TEST_CASE("idx reads images and labels", "[idx]") {
  const Folder folder;
  const Instance idx("idx", folder.params());
  check_content(idx);
  const auto fields = fields_of(idx);
  CHECK(fields[0].name == std::string("image"));
  CHECK(std::vector<int64_t>(fields[0].shape, fields[0].shape + 3) ==
        std::vector<int64_t>{1, 2, 3});
  CHECK(fields[1].classes == 10);
}

TEST_CASE("idx reads the pair of files that split names", "[idx]") {
  const Folder folder;
  write_raw(folder / "t10k-images-idx3-ubyte", images(1));
  write_raw(folder / "t10k-labels-idx1-ubyte", labels({5}));
  const Instance idx("idx", folder.params({{"split", "test"}}));
  CHECK(read_sample(idx, 0)[1].as<int64_t>()[0] == 5);
}

TEST_CASE("idx unzips files that end in .gz", "[idx]") {
  const Folder folder;
  for (const char* name : {"train-images-idx3-ubyte", "train-labels-idx1-ubyte"}) {
    write_gzip(folder / (std::string(name) + ".gz"), read_raw(folder / name));
    std::filesystem::remove(folder / name);
  }
  check_content(Instance("idx", folder.params()));
}

// case TAB-05
TEST_CASE("idx unzips a file by its content, whatever its name", "[idx]") {
  const Folder folder;
  write_gzip(folder / "train-images-idx3-ubyte", images(2));
  check_content(Instance("idx", folder.params()));
}

// case TAB-05
TEST_CASE("idx says that a file of labels was given for the images", "[idx]") {
  const Folder folder;
  const std::string text = message(folder.params({{"images", "train-labels-idx1-ubyte"}}));
  CHECK_THAT(text, ContainsSubstring("train-labels-idx1-ubyte"));
  CHECK_THAT(text, ContainsSubstring("this is a file of labels (magic number 2049)"));
  CHECK_THAT(text, ContainsSubstring("expected a file of images (magic number 2051)"));
}

TEST_CASE("idx refuses what is no IDX file, and a folder in its place", "[idx]") {
  const Folder folder;
  write_raw(folder / "train-images-idx3-ubyte", "PK, a zip archive of sorts");
  CHECK_THAT(message(folder.params()), ContainsSubstring("no IDX file"));
  write_raw(folder / "train-images-idx3-ubyte", "abc");
  CHECK_THAT(message(folder.params()), ContainsSubstring("ends within its header"));
  std::filesystem::remove(folder / "train-images-idx3-ubyte");
  std::filesystem::create_directory(folder / "train-images-idx3-ubyte");
  CHECK_THAT(message(folder.params()), ContainsSubstring("is not a file"));
}

TEST_CASE("idx says where it looked for a file, and what package has one", "[idx]") {
  const Folder folder;
  std::filesystem::remove(folder / "train-images-idx3-ubyte");
  const std::string text = message(folder.params());
  CHECK_THAT(text, ContainsSubstring((folder / "train-images-idx3-ubyte").string()));
  CHECK_THAT(text, ContainsSubstring("dataset-fashion-mnist"));
}

TEST_CASE("idx refuses files that are cut short or too long", "[idx]") {
  const Folder folder;
  const std::string whole = images(2);
  const auto file = folder / "train-images-idx3-ubyte";
  for (size_t length = 0; length < whole.size(); ++length) {
    write_raw(file, whole.substr(0, length));
    CHECK(message(folder.params()) != "no error");
  }
  write_raw(file, whole.substr(0, whole.size() - 1));
  CHECK_THAT(message(folder.params()), ContainsSubstring("ends after 11 of 12 elements"));
  write_raw(file, whole + "x");
  CHECK_THAT(message(folder.params()), ContainsSubstring("has bytes after its 12 elements"));
  write_gzip(file, whole.substr(0, whole.size() - 1));
  CHECK_THAT(message(folder.params()), ContainsSubstring("ends after 11 of 12 elements"));
  write_gzip(file, whole + "x");
  CHECK_THAT(message(folder.params()), ContainsSubstring("has bytes after"));
}

TEST_CASE("idx refuses a damaged or truncated gzip file", "[idx]") {
  const Folder folder;
  const auto file = folder / "train-images-idx3-ubyte";
  write_gzip(file, images(2));
  const std::string whole = read_raw(file);
  for (size_t length = 2; length < whole.size(); ++length) {
    write_raw(file, whole.substr(0, length));
    CHECK(message(folder.params()) != "no error");
  }
  std::string flipped = whole;
  flipped[whole.size() - 6] ^= 1;  // of the checksum
  write_raw(file, flipped);
  CHECK_THAT(message(folder.params()), ContainsSubstring("is damaged"));
}

TEST_CASE("idx reserves no memory for a header that the file cannot fill", "[idx]") {
  const Folder folder;
  const std::string header =
      big_endian(2051) + big_endian(0xffffffff) + big_endian(0xffffffff) + big_endian(0xffffffff);
  write_raw(folder / "train-images-idx3-ubyte", header);
  CHECK_THAT(message(folder.params({{"labels", "none"}})), ContainsSubstring("no such file"));
  write_raw(folder / "train-labels-idx1-ubyte", big_endian(2049) + big_endian(0xffffffff));
  CHECK_THAT(message(folder.params()), ContainsSubstring("more than the file can hold"));
  write_gzip(folder / "train-images-idx3-ubyte", header);
  CHECK_THAT(message(folder.params()), ContainsSubstring("more than the file can hold"));
}

TEST_CASE("idx refuses images and labels that do not belong together", "[idx]") {
  const Folder folder;
  write_raw(folder / "train-labels-idx1-ubyte", labels({1, 2, 3}));
  CHECK_THAT(message(folder.params()), ContainsSubstring("holds 3 labels for 2 images"));
}

TEST_CASE("idx refuses a label that is no class, and says which", "[idx]") {
  const Folder folder;
  write_raw(folder / "train-labels-idx1-ubyte", labels({1, 10}));
  CHECK_THAT(message(folder.params()),
             ContainsSubstring("label 10 of sample 1 is not below classes = 10"));
  CHECK(message(folder.params({{"classes", int64_t{11}}})) == "no error");
}
