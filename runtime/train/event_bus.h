#pragma once

#include <hob/abi/events.h>

#include <chrono>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "session/session.h"

namespace hob::train {

// How far a run is.
struct Progress {
  uint64_t update = 0;   // completed updates
  uint64_t epoch = 0;    // completed epochs
  uint64_t samples = 0;  // seen since the run's first update
  uint64_t skipped = 0;  // updates that were skipped
};

using Scalars = std::vector<std::pair<std::string, double>>;

// Tells callbacks and monitors what happens, in the order of <hob/abi/events.h>. An error of a
// callback ends the run; one of a monitor is logged once, and that monitor is left out from then
// on.
class EventBus {
 public:
  EventBus(session::Session& session, uint64_t total_updates, uint64_t total_epochs);

  // Whether somebody wants the numbers of this update: reading them waits for the device.
  bool wants_scalars(uint64_t update) const;

  void emit(hob_event_kind kind, const Progress& progress, const Scalars& scalars = {});

  double elapsed_s() const;  // since this object was made

 private:
  struct Listener {
    host::Instance* instance = nullptr;
    bool is_callback = false;
    hob_interest interest{};
  };
  bool is_due(const Listener& listener, hob_event_kind kind, uint64_t update) const;
  void deliver(const Listener& listener, const hob_event& event);

  std::vector<Listener> listeners_;  // callbacks, then monitors
  std::set<const host::Instance*> silenced_;
  uint64_t total_updates_;
  uint64_t total_epochs_;
  std::string run_name_;
  std::string run_dir_;
  std::chrono::steady_clock::time_point start_ = std::chrono::steady_clock::now();
};

}  // namespace hob::train
