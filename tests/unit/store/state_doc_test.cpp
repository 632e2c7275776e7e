#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>
#include <random>
#include <string>
#include <vector>

#include <catch2/catch_test_macros.hpp>
#include <catch2/generators/catch_generators.hpp>
#include <catch2/matchers/catch_matchers_exception.hpp>
#include <catch2/matchers/catch_matchers_string.hpp>

#include "base/error.h"
#include "support/raw_file.h"
#include "support/temp_folder.h"
#include "train/store/state_doc.h"

namespace {

using Catch::Matchers::ContainsSubstring;
using Catch::Matchers::MessageMatches;
using hob::Error;
using hob::test::TempFolder;
using hob::train::Bytes;
using hob::train::format_state;
using hob::train::parse_state;
using hob::train::state_value;
using hob::train::StateDoc;

std::uint64_t bits_of(double value) {
  return std::bit_cast<std::uint64_t>(value);
}

double round_trip(double value) {
  return state_value<double>(parse_state(format_state({{"x", value}}), "test"), "x");
}

StateDoc full_doc() {
  return {
      {"count", std::int64_t{-42}},
      {"least", std::numeric_limits<std::int64_t>::min()},
      {"seed", std::numeric_limits<std::uint64_t>::max()},
      {"scale", 65536.5},
      {"name", std::string("größe \"x\"\n")},
      {"ids", std::vector<std::int64_t>{-1, 0, std::numeric_limits<std::int64_t>::max()}},
      {"words", std::vector<std::uint64_t>{0, std::numeric_limits<std::uint64_t>::max()}},
      {"sums", std::vector<double>{0.1, std::numeric_limits<double>::infinity()}},
      {"names", std::vector<std::string>{"a", ""}},
      {"rng", Bytes{std::byte{0}, std::byte{0xff}, std::byte{0x7a}}},
      {"none", Bytes{}},
      {"empty", std::vector<double>{}},
  };
}

}  // namespace

TEST_CASE("a state comes back with its types and values", "[store]") {
  TempFolder folder;
  StateDoc doc = full_doc();
  hob::train::write_state(folder / "state.json", doc);
  CHECK(hob::train::read_state(folder / "state.json") == doc);
  CHECK(format_state(doc) == format_state(full_doc()));
  CHECK(format_state({}) == "{\"format\":1,\"state\":{}}\n");
  CHECK(parse_state(format_state({}), "test").empty());
}

TEST_CASE("a state's numbers come back bit for bit", "[store]") {
  for (double value :
       {0.0, -0.0, 0.1, 5e-324, 1.7976931348623157e308, 2.0, -1.0 / 3.0, 1e16, 123456789012345680.0,
        std::numeric_limits<double>::infinity(), -std::numeric_limits<double>::infinity(),
        std::numeric_limits<double>::quiet_NaN(), -std::numeric_limits<double>::quiet_NaN(),
        std::bit_cast<double>(std::uint64_t{0x7ff8000000001234})}) {
    CAPTURE(value);
    CHECK(bits_of(round_trip(value)) == bits_of(value));
  }
  std::mt19937_64 random(7);
  for (int i = 0; i < 2000; ++i) {
    auto value = std::bit_cast<double>(random());
    CHECK(bits_of(round_trip(value)) == bits_of(value));
  }
}

TEST_CASE("a value of another name or type is refused by name", "[store]") {
  StateDoc doc = {{"count", std::int64_t{1}}};
  CHECK(state_value<std::int64_t>(doc, "count") == 1);
  CHECK_THROWS_MATCHES(state_value<double>(doc, "count"), Error,
                       MessageMatches(ContainsSubstring("'count' has the type i64")));
  CHECK_THROWS_MATCHES(state_value<std::int64_t>(doc, "steps"), Error,
                       MessageMatches(ContainsSubstring("has no value 'steps'")));
}

TEST_CASE("text that is not UTF-8 is refused, and goes as bytes", "[store]") {
  CHECK_THROWS_MATCHES(format_state({{"x", std::string("\xff")}}), Error,
                       MessageMatches(ContainsSubstring("give it as bytes")));
}

TEST_CASE("a state file of another form is refused with its place", "[store]") {
  std::string value = GENERATE(
      R"(5)", R"({})", R"({"i64":1,"u64":1})", R"({"i65":1})", R"({"i64":1.0})", R"({"i64":"1"})",
      R"({"i64":9223372036854775808})", R"({"u64":-1})", R"({"u64":18446744073709551616})",
      R"({"f64":"nan"})", R"({"f64":"nan:7ff000000000000"})", R"({"f64":"nan:3ff0000000000000"})",
      R"({"f64":"nan:7ff000000000000g"})", R"({"f64":null})", R"({"str":1})", R"({"i64s":1})",
      R"({"i64s":[1,"2"]})", R"({"f64s":[[1]]})", R"({"strs":[1]})", R"({"bytes":"0"})",
      R"({"bytes":"0g"})", R"({"bytes":"FF"})", R"({"bytes":[1]})");
  CAPTURE(value);
  CHECK_THROWS_MATCHES(parse_state(R"({"format":1,"state":{"x":)" + value + "}}", "state.json"),
                       Error, MessageMatches(ContainsSubstring("state.json: ")));
}

TEST_CASE("a state file that is none is refused", "[store]") {
  std::string text = GENERATE("", "{", "[]", "{}", R"({"format":1})", R"({"format":2,"state":{}})",
                              R"({"format":1,"state":[]})",
                              R"({"format":1,"state":{"a":{"i64":1},"a":{"i64":1}}})",
                              R"({"format":1,"state":{}} x)");
  CAPTURE(text);
  try {
    parse_state(text, "state.json");
    FAIL("accepted");
  } catch (const Error& error) {
    CHECK(error.fault() == hob::Fault::kRun);
    CHECK_THAT(error.what(), ContainsSubstring("state.json: "));
  }
}

TEST_CASE("a randomly damaged state is refused or read, never worse", "[store]") {
  const std::string seed = format_state(full_doc());
  const std::string alphabet = "{}[]\",:0123456789-.eE\\u";
  std::mt19937_64 random(99);
  int refused = 0;
  for (int round = 0; round < 5000; ++round) {
    std::string text = seed;
    for (auto edits = 1 + random() % 3; edits > 0; --edits) {
      std::size_t at = random() % text.size();
      switch (random() % 3) {
        case 0:
          text[at] = static_cast<char>(random());
          break;
        case 1:
          text.insert(at, 1, alphabet[random() % alphabet.size()]);
          break;
        default:
          text.erase(at, 1 + random() % 5);
          break;
      }
    }
    try {
      parse_state(text, "test");
    } catch (const Error&) {
      ++refused;
    }
  }
  CHECK(refused > 2500);
  CHECK(refused < 5000);
}
