#include <hob/memory.h>

// Recomputes every n-th block of the model in the backward pass, and keeps what the others saved.

namespace {

struct @CLASS@Config {
  int64_t every;
  HOB_SCHEMA(@CLASS@Config, HOB_PARAM(every, 2, hob::ge(1), hob::cosmetic, hob::resumable,
                                      "1 is every block, 2 every second one"))
};

class @CLASS@ : public hob::Memory<@CLASS@Config> {
 public:
  void attach() override {
    const std::vector<hob_segment*> blocks = hob::find_segments(env(), "*");
    if (blocks.empty()) {
      throw hob::Error("the model has no segments, so there is nothing to recompute",
                       HOB_ERROR_INVALID);
    }
    for (size_t i = 0; i < blocks.size(); i += static_cast<size_t>(config.every)) {
      hob::set_mode(env(), blocks[i], HOB_SEGMENT_RECOMPUTE);
    }
  }
};

}  // namespace

HOB_PLUGIN("org.example.@NAME@", "0.1.0",
           hob::add<@CLASS@>("@NAME@", "Recomputes every n-th block of the model"))
