#include "recipe/problems.h"

#include <algorithm>
#include <utility>

#include "base/text.h"

namespace hob::recipe {
namespace {

constexpr std::size_t kMostShown = 50;

}  // namespace

void Problems::add(const Mark& mark, std::string message, Fault fault) {
  problems_.push_back({mark, std::move(message), fault});
}

void Problems::raise_if_any() const {
  if (problems_.empty()) return;
  std::vector<Problem> sorted = problems_;
  std::stable_sort(sorted.begin(), sorted.end(),
                   [](const Problem& a, const Problem& b) { return a.mark < b.mark; });
  std::vector<std::string> lines;
  for (const Problem& problem : sorted) {
    std::string line = located(problem.mark.position(), problem.message);
    // A value that is used at several places would be reported as often.
    if (std::find(lines.begin(), lines.end(), line) != lines.end()) continue;
    if (lines.size() == kMostShown) {
      lines.push_back("... and more errors of the " + std::to_string(sorted.size()) + " in all");
      break;
    }
    lines.push_back(std::move(line));
  }
  const bool plugins_alone = std::all_of(sorted.begin(), sorted.end(), [](const Problem& problem) {
    return problem.fault == Fault::kPlugin;
  });
  throw Error(plugins_alone ? Fault::kPlugin : Fault::kUsage, join(lines, "\n"));
}

std::string located(const Position& position, const std::string& message) {
  return to_string(position) + ": error: " + message;
}

void raise_at(const Mark& mark, const std::string& message) {
  throw Error(Fault::kUsage, located(mark.position(), message));
}

}  // namespace hob::recipe
