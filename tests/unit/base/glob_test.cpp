#include "base/glob.h"

#include <catch2/catch_test_macros.hpp>
#include <string>
#include <vector>

namespace hob {
namespace {

TEST_CASE("a pattern matches a full name and all below it, at a dot", "[base]") {
  CHECK(glob_matches("layer1", "layer1"));
  CHECK(glob_matches("layer1", "layer1.0.conv.weight"));
  CHECK(glob_matches("layer1.0", "layer1.0.conv"));
  CHECK_FALSE(glob_matches("layer1", "layer10"));
  CHECK_FALSE(glob_matches("layer1", "layer10.conv"));
  CHECK_FALSE(glob_matches("conv", "layer1.conv"));
  CHECK_FALSE(glob_matches("layer1.0", "layer1"));
}

TEST_CASE("a star stands for any characters, dots included, and a question mark for one",
          "[base]") {
  CHECK(glob_matches("*", "a.b.c"));
  CHECK(glob_matches("*.weight", "layer1.0.conv.weight"));
  CHECK(glob_matches("layer*", "layer10.conv"));
  CHECK(glob_matches("*.attn", "h.1.attn.qkv.weight"));
  CHECK(glob_matches("h.*.attn", "h.1.attn.qkv"));
  CHECK(glob_matches("a*b*c", "a.b.b.c.d"));
  CHECK(glob_matches("layer?", "layer1.conv"));
  CHECK(glob_matches("layer1*", "layer1"));
  CHECK_FALSE(glob_matches("layer?", "layer10"));
  CHECK_FALSE(glob_matches("*.bias", "layer1.weight"));
  CHECK_FALSE(glob_matches("*.weigh", "layer1.weight"));
}

TEST_CASE("an empty pattern matches nothing, and an empty name only stars", "[base]") {
  CHECK_FALSE(glob_matches("", ""));
  CHECK_FALSE(glob_matches("", "a"));
  CHECK(glob_matches("*", ""));
  CHECK_FALSE(glob_matches("a", ""));
  CHECK_FALSE(glob_matches("a", ".a"));
}

TEST_CASE("a pattern of many stars ends soon", "[base]") {
  std::string pattern;
  for (int i = 0; i < 1000; ++i) pattern += "*a";
  CHECK_FALSE(glob_matches(pattern + "b", std::string(3000, 'a')));
  CHECK(glob_matches(pattern, std::string(3000, 'a')));
}

TEST_CASE("a role matches what has it, whatever its name", "[base]") {
  const std::vector<std::string> roles{"norm", "bias"};
  CHECK(pattern_matches("role:norm", "ln.bias", roles));
  CHECK(pattern_matches("role:bias", "ln.bias", roles));
  CHECK(pattern_matches("ln", "ln.bias", roles));
  CHECK_FALSE(pattern_matches("role:weight", "ln.weight", roles));
  CHECK_FALSE(pattern_matches("role:", "ln.bias", roles));
  CHECK_FALSE(pattern_matches("norm", "ln.bias", roles));
}

}  // namespace
}  // namespace hob
