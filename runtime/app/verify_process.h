#pragma once

#include <chrono>
#include <optional>
#include <string>
#include <vector>

namespace hob::app {

// What became of a process that this program started of itself.
struct Finished {
  std::string report;         // what it wrote to the descriptor that it was given for it
  std::string output;         // the end of what it wrote to stdout and stderr
  std::optional<int> signal;  // that killed it
  int code = 0;               // its exit code, where no signal did
  bool timed_out = false;     // it was killed at the time limit
  double seconds = 0;
};

// Runs this program once more with these arguments, in a process and a temporary folder of its own,
// and waits for its end, at most for `limit`. The descriptor kReportDescriptor is open for its
// report. It ends with this process, and with all that it started itself. Throws Error where no
// process can be started.
inline constexpr int kReportDescriptor = 3;
Finished run_self(const std::vector<std::string>& arguments, std::chrono::milliseconds limit);

}  // namespace hob::app
