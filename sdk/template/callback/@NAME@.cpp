#include <hob/callback.h>
#include <hob/ops.h>
#include <hob/params.h>

// Keeps every trained weight within -limit .. limit: Arjovsky et al., "Wasserstein GAN" (2017),
// algorithm 1. Counts its updates, to show what state is.

namespace {

struct @CLASS@Config {
  double limit;
  HOB_SCHEMA(@CLASS@Config, HOB_PARAM(limit, 1.0, hob::gt(0), "largest magnitude of a weight"))
};

class @CLASS@ : public hob::Callback<@CLASS@Config> {
 public:
  hob::Interest interest() const override { return {HOB_EVENT_UPDATE_END | HOB_EVENT_RUN_END}; }

  // Callbacks may change parameters at the end of an update.
  void on_event(const hob::Event& event) override {
    if (event->kind == HOB_EVENT_RUN_END) {
      return log_info("weights were clipped after " + std::to_string(updates_) + " updates");
    }
    const hob::NoGrad no_grad;
    for (const hob::Param* p : hob::find_params(env(), "role:weight")) {
      if (p->value && p->flags & HOB_PARAM_TRAINABLE) {
        hob::clamp_(p->value, -config.limit, config.limit);
      }
    }
    ++updates_;
  }

  // What a resumed run needs.
  void save(hob::Writer& writer) const override { writer.put("updates", updates_); }
  void load(hob::Reader& reader) override { updates_ = reader.get_int("updates"); }

 private:
  int64_t updates_ = 0;
};

}  // namespace

HOB_PLUGIN("org.example.@NAME@", "0.1.0",
           hob::add<@CLASS@>("@NAME@", "Keeps trained weights within bounds"))
