#pragma once

#include <string>
#include <utility>
#include <vector>

namespace hob::session::verify {

// What belongs to the whole process or thread, and no plugin's call may leave changed: LibTorch's
// modes and its random numbers, how floating-point numbers round, the current folder, the locale.
class GlobalState {
 public:
  // Of this thread, now.
  static GlobalState capture();

  // What has become different, as in "gradient recording was on and is off"; "" where nothing has.
  std::string changes_to(const GlobalState& after, bool random_may_change) const;

 private:
  std::vector<std::pair<std::string, std::string>> values_;
  std::string random_;  // state of the CPU's generator
};

}  // namespace hob::session::verify
