#include "base/sha256.h"

#include <catch2/catch_test_macros.hpp>
#include <filesystem>
#include <fstream>

#include "base/error.h"

namespace hob {
namespace {

// The examples of FIPS 180-4.
TEST_CASE("SHA-256 gives the standard's own examples", "[base]") {
  CHECK(sha256_hex("") == "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
  CHECK(sha256_hex("abc") == "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
  CHECK(sha256_hex("abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq") ==
        "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1");
  CHECK(sha256_hex(std::string(1'000'000, 'a')) ==
        "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0");
}

TEST_CASE("bytes in pieces hash as the whole, at every length around a block", "[base]") {
  for (std::size_t size = 0; size <= 200; ++size) {
    std::string bytes;
    for (std::size_t i = 0; i < size; ++i) bytes += static_cast<char>(i * 7);
    Sha256 pieces;
    for (std::size_t i = 0; i < size; i += 13) pieces.update(bytes.substr(i, 13));
    CHECK(pieces.hex() == sha256_hex(bytes));
  }
}

TEST_CASE("a file hashes as its bytes, and a missing one is an error", "[base]") {
  const auto path = std::filesystem::temp_directory_path() / "hob-sha256-test";
  std::ofstream(path, std::ios::binary) << "abc";
  CHECK(sha256_of_file(path) == sha256_hex("abc"));
  std::filesystem::remove(path);
  CHECK_THROWS_AS(sha256_of_file(path), Error);
  CHECK_THROWS_AS(sha256_of_file(std::filesystem::temp_directory_path()), Error);
}

}  // namespace
}  // namespace hob
