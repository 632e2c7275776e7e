#include <hob/monitor.h>

#include <signal.h>

#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <thread>

// Sends its own process a signal at the end of an update, as the environment says, so that the
// recipe is the same with and without: HOB_TRIP="<update>:<signal>" or "<update>:<signal>:<ms>",
// which also makes each update last that much longer, for signals that come from outside. Update 0
// never comes.

namespace {

class Tripwire : public hob::Monitor<hob::NoConfig> {
 public:
  Tripwire() {
    const char* text = std::getenv("HOB_TRIP");
    if (text) std::sscanf(text, "%llu:%d:%d", &update_, &signal_, &pause_ms_);
  }

  hob::Interest interest() const override { return {HOB_EVENT_UPDATE_END, 1, false}; }

  void on_event(const hob::Event& event) override {
    std::this_thread::sleep_for(std::chrono::milliseconds(pause_ms_));
    if (event->update == update_) raise(signal_);
  }

 private:
  unsigned long long update_ = 0;
  int signal_ = 0;
  int pause_ms_ = 0;
};

}  // namespace

HOB_PLUGIN("org.hob.test.tripwire", "1.0.0",
           hob::add<Tripwire>("tripwire", "Ends its own process, for tests"))
