#pragma once

#include <chrono>
#include <functional>
#include <optional>
#include <string>

namespace hob::app {

// What became of a process of its own.
struct Finished {
  std::string report;         // what the function returned; "" where it never did
  std::string output;         // the end of what it wrote to stdout and stderr
  std::optional<int> signal;  // that killed it
  int code = 0;               // its exit code, where no signal did
  bool timed_out = false;     // it was killed at the time limit
  double seconds = 0;
};

// How a process ends when its function has returned.
enum class Ending {
  kOrdinary,  // static objects are destroyed, which may go wrong too; with LibTorch's it takes long
  kAtOnce,
};

// Runs a function in a copy of this process, with a temporary folder of its own, and waits for its
// end, at most for `limit`. The copy also ends with this process, and takes all along that it
// started itself. This process must have one thread alone. Throws Error where no copy can be made.
Finished run_apart(const std::function<std::string()>& function, std::chrono::milliseconds limit,
                   Ending ending);

}  // namespace hob::app
