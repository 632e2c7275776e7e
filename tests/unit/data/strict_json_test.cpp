#include <string>

#include <catch2/catch_test_macros.hpp>
#include <catch2/matchers/catch_matchers_string.hpp>

#include "base/error.h"
#include "data/strict_json.h"

namespace {

using Catch::Matchers::ContainsSubstring;
using hob::Error;
using hob::data::JsonLimits;
using hob::data::parse_strict_json;

std::string refusal(const std::string& text, const JsonLimits& limits = {}) {
  try {
    parse_strict_json(text, "x.json", limits);
  } catch (const Error& error) {
    CHECK(error.fault() == hob::Fault::kUsage);
    CHECK_THAT(error.what(), ContainsSubstring("x.json: "));
    return error.what();
  }
  return "accepted";
}

}  // namespace

TEST_CASE("strict JSON builds the same document as the library", "[json]") {
  for (const char* text :
       {R"({"a":[1,-2,3.5,{"b":null},[],[[true]]],"c":{"d":"e","f":{}},"":false})", "5", "\"x\"",
        "[]", "{}", " [ 18446744073709551615 , -9223372036854775808 ] \n"}) {
    CAPTURE(text);
    CHECK(parse_strict_json(text, "x.json") == nlohmann::json::parse(text));
  }
}

TEST_CASE("strict JSON refuses what readers disagree about", "[json]") {
  CHECK_THAT(refusal(R"({"a":1,"a":2})"), ContainsSubstring("the key 'a' twice"));
  CHECK_THAT(refusal(R"([{"b":{"a":1,"c":{"a":1},"a":2}}])"),
             ContainsSubstring("the key 'a' twice"));
  CHECK(refusal(R"([{"a":1},{"a":2}])") == "accepted");
  CHECK_THAT(refusal("\xEF\xBB\xBF{}"), ContainsSubstring("byte order mark"));
  CHECK_THAT(refusal("{} {}"), ContainsSubstring("not valid JSON"));
  CHECK_THAT(refusal("[1,]"), ContainsSubstring("line 1, column 4"));
  CHECK_THAT(refusal("[NaN]"), ContainsSubstring("not valid JSON"));
  CHECK_THAT(refusal("1e999"), ContainsSubstring("not valid JSON"));
  CHECK_THAT(refusal("\"\xC0\x80\""), ContainsSubstring("UTF-8"));
  CHECK_THAT(refusal(""), ContainsSubstring("not valid JSON"));
}

TEST_CASE("strict JSON keeps to its limits", "[json]") {
  JsonLimits limits{.depth = 2, .array_items = 3, .text_bytes = 20};
  CHECK(refusal("[[1,2,3],[],{}]", limits) == "accepted");
  CHECK_THAT(refusal("[[[]]]", limits), ContainsSubstring("nested deeper than 2 levels"));
  CHECK_THAT(refusal("[[1,2,3,4]]", limits), ContainsSubstring("more than 3 items"));
  CHECK_THAT(refusal(std::string(21, ' '), limits), ContainsSubstring("has 21 bytes"));
  CHECK_THAT(refusal(std::string(5'000'000, '[')), ContainsSubstring("nested deeper"));
}
