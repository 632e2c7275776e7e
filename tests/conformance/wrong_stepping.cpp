// Optimizers and schedules that are wrong in one thing each, which their names tell.
#include <hob/optimizer.h>
#include <hob/schedule.h>

#include <atomic>
#include <limits>

namespace {

struct NoConfig {
  HOB_SCHEMA(NoConfig)
};

void step_by_sign(hob::ParamGroup<NoConfig>& group, double lr) {
  hob::foreach_add_(group.params(), hob::foreach_sign(group.grads()), -lr);
}

struct ForgetsState : hob::Optimizer<NoConfig> {
  void step(Group& group) override { step_by_sign(group, group.lr() / ++steps); }
  int steps = 0;  // group.step() would have been kept
};

struct ForgetsOnLoad : hob::Optimizer<NoConfig> {
  void step(Group& group) override { step_by_sign(group, group.lr()); }
  void save(hob::Writer& writer) const override { writer.put("made", made); }
  int64_t made = ++count;
  static inline int64_t count = 0;
};

struct MovesWithoutLr : hob::Optimizer<NoConfig> {
  void step(Group& group) override { step_by_sign(group, group.lr() + 1e-3); }
};

struct StepsFirstGroup : hob::Optimizer<NoConfig> {
  void step(Group& group) override {
    if (group.index() == 0) step_by_sign(group, group.lr());
  }
};

struct IgnoresSkip : hob::Optimizer<NoConfig> {
  void step(Group& group) override { step_by_sign(group, group.lr()); }
};

struct IgnoresDecay : hob::Optimizer<NoConfig> {
  void step(Group& group) override { step_by_sign(group, group.lr()); }
};

// Remembers the tensors of the first step.
struct KeepsTensors : hob::Optimizer<NoConfig> {
  void step(Group& group) override {
    if (kept.size() <= group.index()) kept.resize(group.index() + 1);
    auto& own = kept[group.index()];
    if (own.empty()) {
      for (uint32_t i = 0; i < group.params().size(); ++i) own.push_back(group.params()[i]);
    }
    for (uint32_t i = 0; i < own.size(); ++i) {
      hob::add_(own[i], hob::sign(group.grads()[i]), -group.lr());
    }
  }
  std::vector<std::vector<hob::Tensor>> kept;
};

struct RangedConfig {
  double share;
  HOB_SCHEMA(RangedConfig, HOB_PARAM(share, 0.5, hob::in(0, 1), "0 and 1 are promised, and fail"))
};

struct FailsAtBounds : hob::Schedule<RangedConfig> {
  FailsAtBounds() {
    if (config.share <= 0 || config.share >= 1) throw hob::Error("division by zero");
  }
  double factor(std::string_view, uint64_t, uint64_t) const override { return config.share; }
};

struct RefusesBounds : hob::Schedule<RangedConfig> {
  RefusesBounds() {
    if (config.share <= 0) throw hob::Error("share must not be 0 here", HOB_ERROR_INVALID);
  }
  double factor(std::string_view, uint64_t, uint64_t) const override { return config.share; }
};

struct CountsCalls : hob::Schedule<NoConfig> {
  double factor(std::string_view, uint64_t, uint64_t) const override { return 1.0 / ++calls; }
  mutable std::atomic<int> calls = 0;
};

struct GoesBelowZero : hob::Schedule<NoConfig> {
  double factor(std::string_view, uint64_t update, uint64_t total) const override {
    return 1 - 1.5 * static_cast<double>(update) / static_cast<double>(total + 1);
  }
};

struct DividesByTotal : hob::Schedule<NoConfig> {
  double factor(std::string_view, uint64_t update, uint64_t total) const override {
    return 1 - static_cast<double>(update) / static_cast<double>(total);
  }
};

}  // namespace

HOB_PLUGIN("org.example.wrong_stepping", "1.0.0", hob::add<ForgetsState>("forgets_state", ""),
           hob::add<ForgetsOnLoad>("forgets_on_load", ""),
           hob::add<MovesWithoutLr>("moves_without_lr", ""),
           hob::add<StepsFirstGroup>("steps_first_group", ""),
           hob::add<IgnoresSkip>("ignores_skip", "", hob::trait("skip_flag")),
           hob::add<IgnoresDecay>("ignores_decay", "", hob::trait("weight_decay")),
           hob::add<KeepsTensors>("keeps_tensors", ""),
           hob::add<FailsAtBounds>("fails_at_bounds", ""),
           hob::add<RefusesBounds>("refuses_bounds", ""), hob::add<CountsCalls>("counts_calls", ""),
           hob::add<GoesBelowZero>("goes_below_zero", ""),
           hob::add<DividesByTotal>("divides_by_total", ""))
