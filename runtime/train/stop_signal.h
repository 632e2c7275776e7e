#pragma once

namespace hob::train {

// SIGINT and SIGTERM ask a run to stop after the update that is going on; a second one ends the
// process at once, which no complete checkpoint can suffer from. While one of these lives.
class StopSignal {
 public:
  StopSignal();
  ~StopSignal();  // puts the former handlers back
  StopSignal(const StopSignal&) = delete;
  StopSignal& operator=(const StopSignal&) = delete;

  // The signal that asked, or 0.
  static int received();
};

}  // namespace hob::train
