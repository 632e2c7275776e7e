// What acts on a model, wrong in one thing each, which their names tell.
#include <hob/callback.h>
#include <hob/compression.h>
#include <hob/memory.h>
#include <hob/monitor.h>
#include <hob/params.h>
#include <hob/precision.h>

namespace {

struct NoConfig {
  HOB_SCHEMA(NoConfig)
};

void scale_weights(hob_env* env, double factor) {
  const hob::NoGrad no_grad;
  for (const hob::Param* p : hob::find_params(env, "*.weight")) hob::mul_(p->value, factor);
}

struct IntegerParameters : hob::Precision<NoConfig> {
  void plan(hob_precision_plan& plan) const override { plan.parameter_dtype = HOB_INT64; }
};

struct HalvesWeights : hob::Memory<NoConfig> {
  void attach() override { scale_weights(env(), 0.5); }
};

// A branch that doubles each linear layer's output, and is lost in the export.
hob::Tensor double_output(const hob_link& link, const hob_layer_call& call) {
  return hob::mul(hob::next(link, call), 2.0);
}

struct LosesItsBranch : hob::Compression<NoConfig> {
  void attach() override {
    for (hob::Socket* s : hob::find_sockets(env(), "*", HOB_SOCKET_LINEAR)) {
      sockets.push_back(s);
      hob::install<double_output>(env(), s, HOB_LINK_BRANCH, this);
    }
  }
  void finalize() override {
    for (hob::Socket* s : sockets) hob::remove(env(), s);
  }
  std::vector<hob::Socket*> sockets;
};

// The branch is never folded in: with the instance it goes.
struct NeverFolds : LosesItsBranch {
  void finalize() override {}
};

struct FreezesAll : hob::Compression<NoConfig> {
  void attach() override {
    for (hob::Param* p : hob::find_params(env())) hob::set_trainable(p, false);
  }
  void finalize() override {}
};

struct KeepsOtherWeights : hob::Callback<NoConfig> {
  hob::Interest interest() const override { return {HOB_EVENT_EVAL_BEGIN | HOB_EVENT_EVAL_END}; }
  void on_event(const hob::Event& event) override {
    scale_weights(env(), event->kind == HOB_EVENT_EVAL_BEGIN ? 0.5 : 1.5);
  }
};

struct ActsTooEarly : hob::Callback<NoConfig> {
  hob::Interest interest() const override { return {HOB_EVENT_EPOCH_BEGIN}; }
  void on_event(const hob::Event&) override { scale_weights(env(), 0.5); }
};

struct ForgetsItsCount : hob::Callback<NoConfig> {
  hob::Interest interest() const override { return {HOB_EVENT_UPDATE_END}; }
  void on_event(const hob::Event&) override { scale_weights(env(), 1.0 / ++updates); }
  int updates = 0;
};

struct WritesAWeight : hob::Monitor<NoConfig> {
  hob::Interest interest() const override { return {HOB_EVENT_EPOCH_END}; }
  void on_event(const hob::Event&) override { scale_weights(env(), 1.0000001); }
};

struct FreezesAWeight : hob::Monitor<NoConfig> {
  hob::Interest interest() const override { return {HOB_EVENT_RUN_BEGIN}; }
  void on_event(const hob::Event&) override {
    hob::set_trainable(hob::find_params(env(), "head.weight").at(0), false);
  }
};

struct WantsTheImpossible : hob::Monitor<NoConfig> {
  hob::Interest interest() const override { return {1u << 20}; }
  void on_event(const hob::Event&) override {}
};

}  // namespace

HOB_PLUGIN("org.example.wrong_attached", "1.0.0",
           hob::add<IntegerParameters>("integer_parameters", ""),
           hob::add<HalvesWeights>("halves_weights", ""),
           hob::add<LosesItsBranch>("loses_its_branch", ""),
           hob::add<NeverFolds>("never_folds", ""), hob::add<FreezesAll>("freezes_all", ""),
           hob::add<KeepsOtherWeights>("keeps_other_weights", ""),
           hob::add<ActsTooEarly>("acts_too_early", ""),
           hob::add<ForgetsItsCount>("forgets_its_count", ""),
           hob::add<WritesAWeight>("writes_a_weight", ""),
           hob::add<FreezesAWeight>("freezes_a_weight", ""),
           hob::add<WantsTheImpossible>("wants_the_impossible", ""))
