#include "host/tables/recompute.h"

#include <ATen/core/grad_mode.h>
#include <ATen/ops/empty.h>
#include <torch/csrc/autograd/autograd.h>
#include <torch/csrc/autograd/custom_function.h>

#include <algorithm>
#include <iterator>
#include <utility>

#include "host/tables/pass_state.h"

namespace hob::host {
namespace {

using Tensors = std::vector<at::Tensor>;

// What backward needs of a segment's forward, besides its inputs.
struct Replay : torch::CustomClassHolder {
  Replay(World& world, SegmentBody body)
      : world(world), body(std::move(body)), state(PassState::capture(world)) {}

  Tensors run(const Tensors& inputs) const {
    const PassStateScope restored_at_end(world);
    const NoAutocastCache no_cache;
    const at::AutoGradMode record(true);
    state.apply(world);
    world.pass().recompute = 1;
    return body(inputs);
  }

  World& world;
  const SegmentBody body;
  const PassState state;
};

constexpr const char* kReplay = "replay";

class Recompute : public torch::autograd::Function<Recompute> {
 public:
  static Tensors forward(torch::autograd::AutogradContext* context, at::TensorList inputs,
                         const c10::intrusive_ptr<Replay>& replay) {
    context->saved_data[kReplay] = c10::IValue::make_capsule(replay);
    context->save_for_backward(inputs.vec());
    context->set_materialize_grads(false);
    const NoAutocastCache no_cache;
    return replay->body(Tensors(inputs.begin() + 1, inputs.end()));
  }

  static Tensors backward(torch::autograd::AutogradContext* context, Tensors grad_outputs) {
    const auto replay =
        c10::static_intrusive_pointer_cast<Replay>(context->saved_data[kReplay].toCapsule());
    Tensors inputs = context->get_saved_variables();
    inputs.erase(inputs.begin());
    for (at::Tensor& input : inputs) {
      const bool needs_grad = input.requires_grad();
      input = input.detach();
      input.set_requires_grad(needs_grad);
    }
    backward_through(replay->run(inputs), grad_outputs);

    Tensors grad_inputs = {at::Tensor()};  // of the empty input
    for (const at::Tensor& input : inputs) grad_inputs.push_back(input.grad());
    grad_inputs.emplace_back();  // of the replay
    return grad_inputs;
  }

 private:
  static void backward_through(const Tensors& outputs, const Tensors& grad_outputs) {
    Tensors roots, gradients;
    for (size_t i = 0; i < outputs.size(); ++i) {
      if (!outputs[i].requires_grad() || !grad_outputs[i].defined()) continue;
      roots.push_back(outputs[i]);
      gradients.push_back(grad_outputs[i]);
    }
    if (!roots.empty()) torch::autograd::backward(roots, gradients);
  }
};

// A body of the defined inputs alone: LibTorch's functions take no absent ones.
SegmentBody without_absent(SegmentBody body, const Tensors& inputs) {
  std::vector<bool> is_given;
  for (const at::Tensor& input : inputs) is_given.push_back(input.defined());
  return [body = std::move(body), is_given = std::move(is_given)](const Tensors& given) {
    Tensors all(is_given.size());
    auto next = given.begin();
    for (size_t i = 0; i < all.size(); ++i) {
      if (is_given[i]) all[i] = *next++;
    }
    return body(all);
  };
}

}  // namespace

Tensors run_recomputed(World& world, SegmentBody body, const Tensors& inputs) {
  // The first input is empty and requires a gradient. Without it a segment whose inputs are all
  // frozen (adapters behind a frozen embedding) would not be recorded at all, and its parameters
  // would get no gradient, without a word.
  Tensors given = {at::empty({0}, at::TensorOptions(at::kFloat).device(world.device()))};
  given.front().set_requires_grad(true);
  std::copy_if(inputs.begin(), inputs.end(), std::back_inserter(given),
               [](const at::Tensor& input) { return input.defined(); });
  const auto replay = c10::make_intrusive<Replay>(world, without_absent(std::move(body), inputs));
  return Recompute::apply(at::TensorList(given), replay);
}

}  // namespace hob::host
