#include "base/text.h"

#include <catch2/catch_test_macros.hpp>
#include <limits>

namespace hob {
namespace {

using Names = std::vector<std::string>;

TEST_CASE("the nearest name is found through the usual slips", "[base]") {
  const Names names{"adam", "adamw", "sgd", "lion", "cross_entropy", "lr"};
  CHECK(nearest_name("adanw", names) == "adamw");
  CHECK(nearest_name("AdamW", names) == "adamw");
  CHECK(nearest_name("sdg", names) == "sgd");
  CHECK(nearest_name("cross-entropy", names) == "cross_entropy");
  CHECK(nearest_name("crossentrpy", names) == "cross_entropy");
  CHECK(nearest_name("lrr", names) == "lr");
}

TEST_CASE("no name is near to something else", "[base]") {
  const Names names{"adam", "sgd", "lr", "k"};
  CHECK_FALSE(nearest_name("lamb", names).has_value());
  CHECK_FALSE(nearest_name("xy", names).has_value());
  CHECK_FALSE(nearest_name("x", names).has_value());
  CHECK_FALSE(nearest_name("", names).has_value());
  CHECK_FALSE(nearest_name(std::string(1'000'000, 'a'), names).has_value());
  CHECK_FALSE(nearest_name("adam", Names{}).has_value());
  CHECK(did_you_mean("lamb", names).empty());
  CHECK(did_you_mean("sgdd", names) == "; did you mean 'sgd'?");
}

TEST_CASE("a quoted text is safe to print", "[base]") {
  CHECK(quote("plain ü") == "'plain ü'");
  CHECK(quote("a\x1b[31m\n\x7f") == "'a\\x1b[31m\\n\\x7f'");
  CHECK(quote(std::string(1000, 'x')) == "'" + std::string(120, 'x') + "...'");
  // 119 letters and one of two bytes: the cut does not split it.
  CHECK(quote(std::string(119, 'x') + "üüü") == "'" + std::string(119, 'x') + "...'");
  CHECK(quote_all(Names{"a", "b"}) == "'a', 'b'");
  CHECK(quote_all(Names{}) == "(none)");
}

TEST_CASE("texts split and join", "[base]") {
  CHECK(split("a..b", '.') == Names{"a", "", "b"});
  CHECK(split("", '.') == Names{""});
  CHECK(split("a.", '.') == Names{"a", ""});
  CHECK(join(Names{"a", "", "b"}, ", ") == "a, , b");
  CHECK(join(Names{}, ", ").empty());
}

TEST_CASE("sizes are read to the byte", "[base]") {
  CHECK(parse_size("22GiB") == std::int64_t{22} << 30);
  CHECK(parse_size("1.5GB") == 1'500'000'000);
  CHECK(parse_size("1.5KiB") == 1536);
  CHECK(parse_size("3 MiB") == std::int64_t{3} << 20);
  CHECK(parse_size("7TiB") == std::int64_t{7} << 40);
  CHECK(parse_size("2kB") == 2000);
  CHECK(parse_size("512") == 512);
  CHECK(parse_size("512B") == 512);
  CHECK(parse_size("0") == 0);
  CHECK(parse_size("8388607TiB") == std::int64_t{8388607} << 40);
  CHECK(parse_size("9223372036854775807") == std::numeric_limits<std::int64_t>::max());
}

TEST_CASE("what is no size is none", "[base]") {
  for (const char* text : {"",      "GiB",    "-1GiB",    "+1GiB",      "1.GiB",
                           ".5GiB", "1,5GiB", "1.2.3GiB", "1gib",       "1G",
                           "1Gib",  "1  GiB", "1GiB ",    " 1GiB",      "1e3",
                           "1.5B",  "1.5",    "0.1KiB",   "8388608TiB", "9223372036854775808",
                           "0x10",  "1 ",     "infGiB"}) {
    INFO(text);
    CHECK_FALSE(parse_size(text).has_value());
  }
  CHECK_FALSE(parse_size(std::string(10'000, '9') + "B").has_value());
}

TEST_CASE("sizes are written as they are read", "[base]") {
  CHECK(format_size(std::int64_t{22} << 30) == "22GiB");
  CHECK(format_size(1536) == "1536B");
  CHECK(format_size(2048) == "2KiB");
  CHECK(format_size(1'000'000) == "1000000B");
  CHECK(format_size(0) == "0B");
  for (const std::int64_t bytes : {std::int64_t{1}, std::int64_t{1} << 41, std::int64_t{999},
                                   std::numeric_limits<std::int64_t>::max()}) {
    CHECK(parse_size(format_size(bytes)) == bytes);
  }
  CHECK(format_size_rounded(0) == "0 B");
  CHECK(format_size_rounded(1023) == "1023 B");
  CHECK(format_size_rounded(1536) == "1.50 KiB");
  CHECK(format_size_rounded(22906492245) == "21.3 GiB");
  CHECK(format_size_rounded(std::int64_t{500} << 20) == "500 MiB");
}

TEST_CASE("times and numbers are written for people", "[base]") {
  CHECK(format_seconds(0) == "0ms");
  CHECK(format_seconds(0.85) == "850ms");
  CHECK(format_seconds(0.9999) == "1.0s");
  CHECK(format_seconds(12.46) == "12.5s");
  CHECK(format_seconds(59.99) == "1m 00s");
  CHECK(format_seconds(200) == "3m 20s");
  CHECK(format_seconds(7500) == "2h 05m");
  CHECK(format_seconds(3 * 86400 + 4 * 3600) == "3d 04h");
  CHECK(format_seconds(std::numeric_limits<double>::infinity()) == "infs");
  CHECK(format_number(0.1) == "0.1");
  CHECK(format_number(1e-7) == "1e-07");
  CHECK(format_number(3) == "3");
  CHECK(format_number(std::numeric_limits<double>::infinity()) == "inf");
}

}  // namespace
}  // namespace hob
