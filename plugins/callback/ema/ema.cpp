#include <hob/callback.h>
#include <hob/ops.h>
#include <hob/params.h>

#include <algorithm>
#include <cmath>

// An exponential moving average of the weights, used for evaluation and export:
//   s <- s + (1 - d) * (p - s)  after each update, with d = decay,
// or d = min(decay, (1 + n) / (10 + n)) at the n-th update where warm-up is on. Polyak and
// Juditsky, "Acceleration of Stochastic Approximation by Averaging" (1992); the ramp is
// TensorFlow's. Trained parameters and buffers of a floating type are averaged, in float32 or
// better; integer buffers, such as counters, are the model's own at all times. Training never sees
// the average.

namespace {

struct EmaConfig {
  double decay;
  bool warmup;
  HOB_SCHEMA(EmaConfig,
             HOB_PARAM(decay, 0.9998, hob::ge(0), hob::lt(1), "share of the average that is kept"),
             HOB_PARAM(warmup, false, "begin with less, so that early weights are forgotten soon"))
};

bool is_averaged(const hob::Param& p) {
  if (!p.value || !(p.flags & (HOB_PARAM_TRAINABLE | HOB_PARAM_BUFFER))) return false;
  const int32_t dtype = hob::TensorRef(p.value).dtype();
  return dtype == HOB_FLOAT32 || dtype == HOB_FLOAT16 || dtype == HOB_BFLOAT16 ||
         dtype == HOB_FLOAT64;
}

int32_t shadow_dtype(hob::TensorRef value) {
  return value.dtype() == HOB_FLOAT64 ? HOB_FLOAT64 : HOB_FLOAT32;
}

// A parameter, its average, and, while the average stands in the parameter, what it held before.
struct Entry {
  hob::Param* param;
  hob::Tensor shadow;
  hob::Tensor raw;
};

class Ema : public hob::Callback<EmaConfig> {
 public:
  hob::Interest interest() const override {
    return {HOB_EVENT_RUN_BEGIN | HOB_EVENT_UPDATE_END | HOB_EVENT_EVAL_BEGIN | HOB_EVENT_EVAL_END |
            HOB_EVENT_EXPORT_BEGIN | HOB_EVENT_EXPORT_END};
  }

  void attach() override {
    for (hob::Param* p : hob::find_params(env())) {
      if (is_averaged(*p)) entries_.push_back({p, {}, {}});
    }
  }

  void on_event(const hob::Event& event) override {
    const hob::NoGrad no_grad;
    switch (event->kind) {
      case HOB_EVENT_RUN_BEGIN:
        return begin();
      case HOB_EVENT_UPDATE_END:
        return update();
      case HOB_EVENT_EVAL_BEGIN:
      case HOB_EVENT_EXPORT_BEGIN:
        return swap_in();
      default:
        return swap_out();
    }
  }

  void save(hob::Writer& writer) const override {
    writer.put("updates", updates_);
    for (const Entry& e : entries_) {
      if (e.shadow) writer.put((std::string("shadow.") + e.param->name).c_str(), e.shadow);
    }
  }
  void load(hob::Reader& reader) override {
    const hob::NoGrad no_grad;
    updates_ = reader.get_int("updates");
    for (Entry& e : entries_) {
      const hob::Tensor saved = reader.get_tensor((std::string("shadow.") + e.param->name).c_str());
      start(e);
      if (saved.sizes() != e.shadow.sizes()) {
        throw hob::Error("the saved average of '" + std::string(e.param->name) + "' is " +
                             hob::shape_text(saved.sizes()) + ", and the parameter " +
                             hob::shape_text(e.shadow.sizes()),
                         HOB_ERROR_INVALID);
      }
      hob::copy_(e.shadow, saved);
    }
  }

 private:
  // The average begins as a copy of the weights that training begins with.
  void begin() {
    for (Entry& e : entries_) {
      if (!e.shadow) start(e);
    }
  }
  static void start(Entry& e) {
    const hob::TensorRef value = e.param->value;
    e.shadow = hob::to_dtype(value, shadow_dtype(value), /*non_blocking=*/false, /*copy=*/true);
  }

  void update() {
    double decay = config.decay;
    if (config.warmup) {
      const auto n = static_cast<double>(updates_);
      decay = std::min(decay, (1 + n) / (10 + n));
    }
    ++updates_;
    for (Entry& e : entries_) {
      const hob::TensorRef value = e.param->value;
      if (value.sizes() != e.shadow.sizes()) {
        start(e);  // pruned since: another tensor, another average
      } else if (value.dtype() == e.shadow.dtype()) {
        hob::lerp_(e.shadow, value, 1 - decay);
      } else {
        hob::lerp_(e.shadow, hob::to_dtype(value, e.shadow.dtype()), 1 - decay);
      }
    }
  }

  void swap_in() {
    if (depth_++ > 0) return;
    for (Entry& e : entries_) {
      if (!e.shadow) continue;
      e.raw = hob::clone(e.param->value);
      hob::copy_(e.param->value, e.shadow);
    }
  }
  void swap_out() {
    if (depth_ == 0 || --depth_ > 0) return;
    for (Entry& e : entries_) {
      if (e.raw) hob::copy_(e.param->value, e.raw);
      e.raw = {};
    }
  }

  std::vector<Entry> entries_;
  int64_t updates_ = 0;
  int depth_ = 0;  // an export may evaluate within
};

}  // namespace

HOB_PLUGIN("org.hob.ema", "0.1.0",
           hob::add<Ema>("ema", "Evaluates and exports a moving average of the weights"))
