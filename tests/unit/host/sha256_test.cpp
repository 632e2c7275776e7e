#include "host/sha256.h"

#include <string>

#include <catch2/catch_test_macros.hpp>

#include "host_fixture.h"

using hob::host::sha256;
using hob::test::as_bytes;

// The vectors of FIPS 180-4's examples; the last one crosses the padding's block edge.
TEST_CASE("SHA-256 gives the standard's own examples", "[host]") {
  CHECK(sha256(as_bytes("")) == "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
  CHECK(sha256(as_bytes("abc")) ==
        "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
  CHECK(sha256(as_bytes("abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq")) ==
        "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1");
  CHECK(sha256(as_bytes(std::string(1'000'000, 'a'))) ==
        "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0");
}
