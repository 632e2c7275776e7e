#include "base/glob.h"

#include <algorithm>

namespace hob {
namespace {

constexpr std::string_view kRolePrefix = "role:";

// The whole name, without the rule about what lies below. On a mismatch only the latest `*` need
// take one more character, so that no pattern costs more than pattern times name.
bool matches_whole(std::string_view pattern, std::string_view name) {
  std::size_t p = 0, n = 0;
  std::size_t star = std::string_view::npos, star_end = 0;
  while (n < name.size()) {
    if (p < pattern.size() && pattern[p] == '*') {
      star = p++;
      star_end = n;
    } else if (p < pattern.size() && (pattern[p] == '?' || pattern[p] == name[n])) {
      ++p;
      ++n;
    } else if (star != std::string_view::npos) {
      p = star + 1;
      n = ++star_end;
    } else {
      return false;
    }
  }
  return pattern.find_first_not_of('*', p) == std::string_view::npos;
}

}  // namespace

bool glob_matches(std::string_view pattern, std::string_view name) {
  if (pattern.empty()) return false;
  if (matches_whole(pattern, name)) return true;
  for (std::size_t dot = name.rfind('.'); dot != std::string_view::npos && dot > 0;
       dot = name.rfind('.', dot - 1)) {
    if (matches_whole(pattern, name.substr(0, dot))) return true;
  }
  return false;
}

bool pattern_matches(std::string_view pattern, std::string_view name,
                     std::span<const std::string> roles) {
  if (!pattern.starts_with(kRolePrefix)) return glob_matches(pattern, name);
  return std::find(roles.begin(), roles.end(), pattern.substr(kRolePrefix.size())) != roles.end();
}

}  // namespace hob
