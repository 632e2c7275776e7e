#include <hob/monitor.h>

// Warns in the log where the loss exceeds a multiple of its running mean, or is no number.

namespace {

struct @CLASS@Config {
  int64_t every;
  double factor;
  HOB_SCHEMA(@CLASS@Config,
             HOB_PARAM(every, 10, hob::ge(1), hob::cosmetic, hob::resumable, hob::unit("updates"),
                       "period of looking; each waits for the device"),
             HOB_PARAM(factor, 3.0, hob::gt(1), hob::cosmetic, hob::resumable,
                       "how many times the mean is too much"))
};

class @CLASS@ : public hob::Monitor<@CLASS@Config> {
 public:
  hob::Interest interest() const override {
    return {HOB_EVENT_UPDATE_END, static_cast<uint64_t>(config.every), /*scalars=*/true};
  }

  // Monitors change nothing; an error is logged once and never stops the run.
  void on_event(const hob::Event& event) override {
    const double loss = event.scalar("loss");
    const bool is_high = mean_ > 0 && !(loss <= config.factor * mean_);
    if (is_high || !std::isfinite(loss)) {
      log_warning("the loss of update " + std::to_string(event->update) + " is " +
                  std::to_string(loss) + ", and its running mean " + std::to_string(mean_));
    }
    if (std::isfinite(loss)) mean_ = mean_ > 0 ? 0.9 * mean_ + 0.1 * loss : loss;
  }

  void save(hob::Writer& writer) const override { writer.put("mean", mean_); }
  void load(hob::Reader& reader) override { mean_ = reader.get_float("mean"); }

 private:
  double mean_ = 0;  // 0: none yet
};

}  // namespace

HOB_PLUGIN("org.example.@NAME@", "0.1.0",
           hob::add<@CLASS@>("@NAME@", "Warns where the loss leaps up"))
