#include <ATen/core/grad_mode.h>

#include <memory>

#include "base/text.h"
#include "host/tables/recompute.h"
#include "host/tables/run_scope.h"
#include "host/tables/tables.h"

// hob.segments/1: blocks of a model that a memory strategy may run otherwise.

namespace hob::host {
namespace {

// Owns a segment's closure: drops it once, whatever happens.
class Closure {
 public:
  explicit Closure(const hob_closure& closure) : closure_(closure) {}
  Closure(Closure&& other) noexcept : closure_(std::exchange(other.closure_, {})) {}
  Closure& operator=(Closure&&) = delete;
  ~Closure() {
    if (closure_.drop) closure_.drop(closure_.user);
  }

  bool can_run() const { return closure_.call != nullptr; }
  void run(hob_tensor* const* inputs, uint32_t n_inputs, hob_tensor** outputs,
           uint32_t n_outputs) const {
    check(closure_.call(closure_.user, inputs, n_inputs, outputs, n_outputs));
  }

 private:
  hob_closure closure_;
};

// The closure as a function of tensors, that names segment and model in its errors.
class Body {
 public:
  Body(Closure closure, const Segment& segment, const hob_env* env, uint32_t n_outputs)
      : closure_(std::make_shared<Closure>(std::move(closure))),
        segment_(segment),
        env_(env),
        n_outputs_(n_outputs) {}

  std::vector<at::Tensor> operator()(const std::vector<at::Tensor>& inputs) const {
    std::vector<hob_tensor*> handles;
    for (const at::Tensor& t : inputs) handles.push_back(t.defined() ? borrow(t) : nullptr);
    std::vector<hob_tensor*> results(n_outputs_, nullptr);
    run_named(handles, results);
    std::vector<at::Tensor> outputs;
    for (hob_tensor* result : results) outputs.push_back(result ? take(result) : at::Tensor());
    for (const at::Tensor& output : outputs) {
      if (!output.defined()) refuse("the body of " + place() + " left an output NULL");
    }
    return outputs;
  }

 private:
  std::string place() const { return "segment '" + segment_.full_name + "'"; }

  void run_named(const std::vector<hob_tensor*>& inputs, std::vector<hob_tensor*>& outputs) const {
    try {
      closure_->run(inputs.data(), static_cast<uint32_t>(inputs.size()), outputs.data(),
                    n_outputs_);
    } catch (const PluginError& thrown) {
      hob_error error = thrown.error();
      add_place(error, place());
      add_instance(error, env_->label);
      throw PluginError(std::move(error));
    }
  }

  std::shared_ptr<Closure> closure_;  // shared: a std::function is copied
  const Segment& segment_;
  const hob_env* env_;
  uint32_t n_outputs_;
};

hob_error* add(hob_env* env, const char* name, hob_segment** out) noexcept {
  return guard([&] { *out = &world_of(env).add_segment(&required(name, "the segment's name")); });
}

uint32_t find(hob_env* env, const char* pattern, hob_segment** out, uint32_t capacity) noexcept {
  return write_found([&] { return world_of(env).match_segments(pattern); }, out, capacity);
}

Segment& segment_of(hob_segment* segment) {
  return static_cast<Segment&>(required(segment, "the segment"));
}

hob_error* set_mode(hob_env* env, hob_segment* segment, uint32_t mode) noexcept {
  return guard([&] {
    world_of(env);
    segment_of(segment).set_mode(mode, env->instance);
  });
}

hob_error* run(hob_env* env, hob_segment* given_segment, const hob_closure* given_closure,
               hob_tensor* const* inputs, uint32_t n_inputs, hob_tensor** outputs,
               uint32_t n_outputs) noexcept {
  return guard([&] {
    Closure closure(required(given_closure, "the closure"));
    World& world = world_of(env);
    const Segment& segment = segment_of(given_segment);
    if (!closure.can_run()) refuse("the body of segment '" + segment.full_name + "' is NULL");
    const Body body(std::move(closure), segment, env, n_outputs);
    std::vector<at::Tensor> tensors(n_inputs);
    for (uint32_t i = 0; i < n_inputs; ++i) {
      if (inputs[i]) tensors[i] = tensor_of(inputs[i]);
    }
    const bool recomputes = segment.mode == HOB_SEGMENT_RECOMPUTE && at::GradMode::is_enabled();
    std::vector<at::Tensor> results =
        recomputes ? run_recomputed(world, body, tensors) : body(tensors);
    for (uint32_t i = 0; i < n_outputs; ++i) outputs[i] = give(std::move(results[i]));
  });
}

const hob_pass* pass(hob_env* env) noexcept {
  static const hob_pass outside_of_runs = {sizeof(hob_pass), 0, 0, 0, 0};
  return env && env->world ? &env->world->pass() : &outside_of_runs;
}

}  // namespace

const hob_segments kSegmentsTable = {
    .struct_size = sizeof(hob_segments),
    .reserved = 0,
    .add = add,
    .find = find,
    .set_mode = set_mode,
    .run = run,
    .pass = pass,
};

}  // namespace hob::host
