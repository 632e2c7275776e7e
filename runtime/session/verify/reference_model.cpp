#include "session/verify/reference_model.h"

#include <ATen/CPUGeneratorImpl.h>
#include <ATen/TensorOperators.h>
#include <ATen/ops/conv2d.h>
#include <ATen/ops/cross_entropy_loss.h>
#include <ATen/ops/empty.h>
#include <ATen/ops/layer_norm.h>
#include <ATen/ops/linear.h>
#include <ATen/ops/ones.h>
#include <ATen/ops/relu.h>
#include <ATen/ops/zeros.h>

#include "host/tables/guard.h"
#include "host/tables/tables.h"

namespace hob::session::verify {
namespace {

constexpr hob_conv kGeometry = {.struct_size = sizeof(hob_conv),
                                .dim = 2,
                                .stride = {1, 1, 1},
                                .padding = {1, 1, 0},
                                .dilation = {1, 1, 1},
                                .groups = 1};
constexpr int64_t kWidth = 8;

// What a layer computes where no link acts on it.
hob_error* compute(const hob_link*, const hob_layer_call* call, hob_tensor** out) noexcept {
  return host::guard([&] {
    if (!call->weight) host::refuse("the weight is replaced, and no kernel computes without it");
    const at::Tensor& x = host::tensor_of(call->input);
    const at::Tensor& weight = host::tensor_of(call->weight);
    const at::Tensor bias = call->bias ? host::tensor_of(call->bias) : at::Tensor();
    if (call->kind == HOB_SOCKET_CONV) {
      *out = host::give(at::conv2d(x, weight, bias, /*stride=*/1, /*padding=*/1));
    } else if (call->kind == HOB_SOCKET_NORM) {
      *out = host::give(at::layer_norm(x, weight.sizes(), weight, bias));
    } else {
      *out = host::give(at::linear(x, weight, bias));
    }
  });
}

}  // namespace

ReferenceModel::ReferenceModel(host::World& world, uint64_t seed) : world_(world), seed_(seed) {
  env_.world = &world;
  env_.instance = "model";
  env_.label = "model (reference)";
  env_.seed = seed;
  conv_ = &add_layer("stem.conv", HOB_SOCKET_CONV, {kWidth, 3, 3, 3}, HOB_ROLE_WEIGHT);
  norm_ = &add_layer("stem.norm", HOB_SOCKET_NORM, {kWidth}, HOB_ROLE_NORM);
  blocks_[0] = &world.add_segment("blocks.0");
  first_ = &add_layer("blocks.0.fc", HOB_SOCKET_LINEAR, {kWidth, kWidth}, HOB_ROLE_WEIGHT);
  blocks_[1] = &world.add_segment("blocks.1");
  second_ = &add_layer("blocks.1.fc", HOB_SOCKET_LINEAR, {kWidth, kWidth}, HOB_ROLE_WEIGHT);
  head_ = &add_layer("head", HOB_SOCKET_LINEAR, {kClasses, kWidth}, HOB_ROLE_HEAD);
}

host::Socket& ReferenceModel::add_layer(const std::string& name, uint32_t kind,
                                        at::IntArrayRef sizes, uint32_t role) {
  const at::Generator generator = at::detail::createCPUGenerator(++seed_);
  const bool is_norm = kind == HOB_SOCKET_NORM;
  const at::Tensor weight = is_norm ? at::ones(sizes) : at::empty(sizes).normal_(0, 0.4, generator);
  host::Param& w =
      world_.add_param(name + ".weight", weight, role, HOB_PARAM_TRAINABLE, env_.instance);
  host::Param& b =
      world_.add_param(name + ".bias", at::zeros({sizes[0]}),
                       is_norm ? HOB_ROLE_NORM : HOB_ROLE_BIAS, HOB_PARAM_TRAINABLE, env_.instance);
  const hob_socket layer{.struct_size = sizeof(hob_socket),
                         .kind = kind,
                         .head = nullptr,
                         .name = nullptr,
                         .weight = &w,
                         .bias = &b,
                         .attributes = kind == HOB_SOCKET_CONV ? &kGeometry : nullptr};
  return world_.add_socket(&env_, name, layer, compute, nullptr);
}

at::Tensor ReferenceModel::run(const host::Socket& layer, const at::Tensor& input) {
  const hob_layer_call call{.struct_size = sizeof(hob_layer_call),
                            .kind = layer.kind,
                            .input = host::borrow(input),
                            .weight = layer.weight->value,
                            .bias = layer.bias->value,
                            .attributes = layer.attributes};
  const hob_link* head = layer.head ? layer.head : layer.base.get();
  hob_tensor* out = nullptr;
  host::check(head->call(head, &call, &out));
  return host::take(out);
}

at::Tensor ReferenceModel::run(host::Segment& segment, Body body, const at::Tensor& input) {
  const hob_closure closure{
      .struct_size = sizeof(hob_closure),
      .reserved = 0,
      .call =
          [](void* user, hob_tensor* const* in, uint32_t, hob_tensor** out, uint32_t) {
            return host::guard([&] {
              *out = host::give((*static_cast<const Body*>(user))(host::tensor_of(in[0])));
            });
          },
      .user = new Body(std::move(body)),  // the host drops it
      .drop = [](void* user) { delete static_cast<Body*>(user); }};
  hob_tensor* const in = host::borrow(input);
  hob_tensor* out = nullptr;
  host::check(host::kSegmentsTable.run(&env_, &segment, &closure, &in, 1, &out, 1));
  return host::take(out);
}

at::Tensor ReferenceModel::forward(const at::Tensor& images) {
  at::Tensor x = at::relu(run(*conv_, images)).mean({2, 3});  // (B, kWidth)
  x = run(*norm_, x);
  const auto block = [this](const host::Socket& layer) {
    return [this, &layer](const at::Tensor& in) { return in + at::relu(run(layer, in)); };
  };
  x = run(*blocks_[0], block(*first_), x);
  x = run(*blocks_[1], block(*second_), x);
  return run(*head_, x);  // (B, kClasses)
}

std::map<std::string, at::Tensor> ReferenceModel::gradients(const at::Tensor& images,
                                                            const at::Tensor& labels) {
  for (host::Param& param : world_.params()) {
    if (param.tensor.defined()) param.tensor.mutable_grad().reset();
  }
  world_.pass().training = 1;
  const at::Tensor loss = at::cross_entropy_loss(forward(images), labels);
  if (loss.requires_grad()) loss.backward();
  world_.pass().training = 0;
  std::map<std::string, at::Tensor> result;
  for (const host::Param& param : world_.params()) {
    if (param.tensor.defined() && param.tensor.grad().defined()) {
      result[param.full_name] = param.tensor.grad().clone();
    }
  }
  return result;
}

}  // namespace hob::session::verify
