#pragma once

#include <algorithm>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

// What to say where a recipe's pattern matches nothing: the names that it may have meant.

namespace hob {
namespace detail {

// Levenshtein's distance: insertions, deletions and substitutions of letters.
inline size_t edit_distance(std::string_view a, std::string_view b) {
  std::vector<size_t> row(b.size() + 1);
  for (size_t j = 0; j < row.size(); ++j) row[j] = j;
  for (size_t i = 1; i <= a.size(); ++i) {
    size_t diagonal = std::exchange(row[0], i);
    for (size_t j = 1; j < row.size(); ++j) {
      const size_t replaced = diagonal + (a[i - 1] == b[j - 1] ? 0 : 1);
      diagonal = std::exchange(row[j], std::min({replaced, row[j] + 1, row[j - 1] + 1}));
    }
  }
  return row.back();
}

}  // namespace detail

// "the nearest are: 'layer1.0.conv1', ..." for a pattern that matched none of `names`. A pattern
// without dots is compared with the names' last parts too: "q_porj" is near "h.0.attn.q_proj".
inline std::string nearest_names(std::string_view pattern, const std::vector<std::string>& names) {
  constexpr size_t kShown = 5;
  if (names.empty()) return "there are none";
  std::vector<std::pair<size_t, std::string>> ranked;
  for (const std::string& name : names) {
    size_t distance = detail::edit_distance(pattern, name);
    if (const size_t dot = name.rfind('.'); dot != std::string::npos) {
      distance = std::min(distance, detail::edit_distance(pattern, name.substr(dot + 1)));
    }
    ranked.emplace_back(distance, name);
  }
  std::stable_sort(ranked.begin(), ranked.end(),
                   [](const auto& a, const auto& b) { return a.first < b.first; });
  std::string text = "the nearest are: ";
  for (size_t i = 0; i < std::min(kShown, ranked.size()); ++i) {
    text += std::string(i ? ", " : "") + "'" + ranked[i].second + "'";
  }
  return text;
}

}  // namespace hob
