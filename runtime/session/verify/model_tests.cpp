#include <ATen/TensorOperators.h>
#include <ATen/core/grad_mode.h>
#include <ATen/ops/empty_like.h>
#include <ATen/ops/isfinite.h>
#include <ATen/ops/zeros.h>
#include <hob/abi/model.h>

#include <cmath>
#include <set>

#include "base/text.h"
#include "session/verify/stage.h"
#include "session/verify/test.h"

// Models, on a small synthetic batch of a shape that they take.

namespace hob::session::verify {
namespace {

constexpr uint32_t kMaxInputs = 16;
constexpr uint32_t kMaxOutputs = 16;

using Tensors = std::map<std::string, at::Tensor>;

class Model {
 public:
  explicit Model(Bench& bench) : bench_(bench), stage_(bench) {
    const char* names[kMaxInputs];
    uint32_t count = 0;
    bench.watch("inputs",
                [&] { stage_.instance->call(&hob_model::inputs, names, kMaxInputs, &count); });
    expect(count >= 1 && count <= kMaxInputs, "it wants " + std::to_string(count) +
                                                  " inputs, 1 to " + std::to_string(kMaxInputs) +
                                                  " are possible");
    inputs_.assign(names, names + count);
  }

  host::World& world() { return stage_.world; }
  const std::vector<std::string>& inputs() const { return inputs_; }

  Tensors forward(const Tensors& batch, bool training) {
    world().pass().training = training ? 1 : 0;
    std::vector<hob_named_tensor> named;
    for (const auto& [name, tensor] : batch) named.push_back({name.c_str(), host::borrow(tensor)});
    std::vector<hob_named_tensor> raw(kMaxOutputs);
    uint32_t count = 0;
    bench_.watch("forward", [&] {
      stage_.instance->call(&hob_model::forward, named.data(), static_cast<uint32_t>(named.size()),
                            raw.data(), kMaxOutputs, &count);
    });
    expect(count >= 1 && count <= kMaxOutputs, "forward returns " + std::to_string(count) +
                                                   " outputs, 1 to " + std::to_string(kMaxOutputs) +
                                                   " are possible");
    Tensors outputs;
    for (uint32_t i = 0; i < count; ++i) {
      const bool is_new = outputs.emplace(raw[i].name, host::take(raw[i].tensor)).second;
      expect(is_new, "two outputs are named " + quote(raw[i].name));
    }
    return outputs;
  }

  // A batch of two samples that forward takes. Throws Skip where there is none.
  Tensors find_batch() {
    const at::NoGradGuard no_grad;
    const std::vector<at::Tensor> shapes = {
        bench_.randn({2, 1, 28, 28}), bench_.randn({2, 3, 32, 32}),
        bench_.randn({2, 3, 64, 64}), bench_.randn({2, 3, 224, 224}),
        bench_.randn({2, 16}),        bench_.random_labels({2, 8}, 8),
    };
    std::string refusal;
    for (const at::Tensor& shape : shapes) {
      Tensors batch;
      for (const std::string& input : inputs_) batch[input] = shape;
      try {
        forward(batch, /*training=*/false);
        return batch;
      } catch (const host::PluginError& error) {
        if (refusal.empty()) refusal = error.what();
      }
    }
    throw Skip("it takes none of the batches that were tried; of the first it says: " + refusal);
  }

 private:
  Bench& bench_;
  Stage stage_;
  std::vector<std::string> inputs_;
};

// A loss that every output takes part in, with weights that are neither equal nor zero.
at::Tensor loss_of(const Tensors& outputs) {
  at::Tensor loss;
  for (const auto& [name, tensor] : outputs) {
    if (!tensor.is_floating_point()) continue;
    const at::Tensor part =
        (tensor * tensor.detach().sin().add(1.5)).sum() / static_cast<double>(tensor.numel());
    loss = loss.defined() ? loss + part : part;
  }
  expect(loss.defined(), "no output is of a floating type");
  return loss;
}

void registers_parameters(Bench& bench) {
  Model model(bench);
  int64_t elements = 0;
  for (const host::Param& param : model.world().params()) {
    if (!param.is_buffer()) elements += param.tensor.numel();
    expect(!param.tensor.is_floating_point() || at::isfinite(param.tensor).all().item<bool>(),
           quote(param.full_name) + " begins with numbers that are not finite");
  }
  expect(elements > 0, "the model registers no parameter");
  bench.note(std::to_string(elements) + " parameters, " +
             std::to_string(model.world().sockets().size()) + " sockets, " +
             std::to_string(model.world().segments().size()) + " segments");
}

void first_weights_follow_from_the_seed(Bench& bench) {
  const auto first_weights = [&] {
    seed_libtorch(bench.seed());
    Model model(bench);
    return snapshot(model.world());
  };
  const std::string different = first_difference(first_weights(), first_weights());
  expect(different.empty(),
         "made twice from one seed, " + quote(different) + " begins differently");
}

void evaluation_is_repeatable(Bench& bench) {
  Model model(bench);
  const Tensors batch = model.find_batch();
  const at::NoGradGuard no_grad;
  const Snapshot before = snapshot(model.world());
  const Tensors first = model.forward(batch, /*training=*/false);
  const Tensors second = model.forward(batch, /*training=*/false);
  for (const auto& [name, tensor] : first) {
    expect(!tensor.is_floating_point() || at::isfinite(tensor).all().item<bool>(),
           "the output " + quote(name) + " is not finite");
  }
  const std::string different = first_difference(first, second);
  expect(different.empty(),
         "the same batch, evaluated twice, gives another output " + quote(different));
  const std::string changed = first_difference(before, snapshot(model.world()));
  expect(changed.empty(), "an evaluation changed " + quote(changed));
}

void gradients_flow(Bench& bench) {
  Model model(bench);
  const Tensors batch = model.find_batch();
  const Snapshot before = snapshot(model.world());
  loss_of(model.forward(batch, /*training=*/true)).backward();
  std::vector<std::string> without;
  size_t with = 0;
  for (const host::Param& param : model.world().params()) {
    if (param.is_buffer()) continue;
    expect(same_bits(param.tensor, before.at(param.full_name)),
           "forward and backward changed the parameter " + quote(param.full_name));
    if (!param.is_trainable()) continue;
    if (!param.tensor.grad().defined()) {
      without.push_back(param.full_name);
      continue;
    }
    ++with;
    expect(at::isfinite(param.tensor.grad()).all().item<bool>(),
           "the gradient of " + quote(param.full_name) + " is not finite");
  }
  expect(with > 0, "no parameter receives a gradient");
  if (!without.empty()) bench.note("no gradient for " + quote_all(without));
}

// Gradients against differences of the loss along a random direction, in float64.
class DirectionalCheck {
 public:
  DirectionalCheck(Bench& bench, Model& model, Tensors batch)
      : model_(model), batch_(std::move(batch)) {
    for (host::Param& param : model.world().params()) {
      if (param.tensor.is_floating_point()) param.assign(param.tensor.detach().to(at::kDouble));
      if (!param.is_trainable()) continue;
      params_.push_back(&param);
      values_.push_back(param.tensor.detach().clone());
      directions_.push_back(bench.randn(param.tensor.sizes()).to(at::kDouble));
    }
    for (auto& [name, tensor] : batch_) {
      if (tensor.is_floating_point()) tensor = tensor.to(at::kDouble);
    }
  }

  // The derivative of the loss along the direction, as backward has it.
  double analytic() {
    loss().backward();
    double sum = 0;
    for (size_t i = 0; i < params_.size(); ++i) {
      const at::Tensor& gradient = params_[i]->tensor.grad();
      if (gradient.defined()) sum += (gradient * directions_[i]).sum().item<double>();
    }
    return sum;
  }

  double numeric(double step) {
    const at::NoGradGuard no_grad;
    const auto loss_at = [&](double distance) {
      for (size_t i = 0; i < params_.size(); ++i) {
        params_[i]->tensor.copy_(values_[i] + directions_[i] * distance);
      }
      return loss().item<double>();
    };
    return (loss_at(step) - loss_at(-step)) / (2 * step);
  }

 private:
  // The weights of loss_of depend on the outputs; kept from the first time, as a loss's are.
  at::Tensor loss() {
    const Tensors outputs = model_.forward(batch_, /*training=*/false);
    at::Tensor total;
    for (const auto& [name, tensor] : outputs) {
      if (!tensor.is_floating_point()) continue;
      if (!weights_.contains(name)) weights_[name] = tensor.detach().sin() + 1.5;
      const at::Tensor part = (tensor * weights_[name]).sum() / static_cast<double>(tensor.numel());
      total = total.defined() ? total + part : part;
    }
    return total;
  }

  Model& model_;
  Tensors batch_;
  std::vector<host::Param*> params_;
  std::vector<at::Tensor> values_, directions_;
  Tensors weights_;
};

void gradients_are_right(Bench& bench) {
  Model model(bench);
  const Tensors batch = model.find_batch();
  DirectionalCheck check(bench, model, batch);
  double analytic = 0;
  try {
    analytic = check.analytic();
  } catch (const host::PluginError& error) {
    throw Skip(std::string("it does not compute in float64: ") + error.what());
  }
  // A step may cross the kink of a ReLU: one of several sizes must agree.
  constexpr double kTolerance = 1e-4;
  std::string seen;
  for (const double step : {1e-6, 1e-5, 1e-7, 1e-8}) {
    const double numeric = check.numeric(step);
    const double scale = std::max({std::abs(analytic), std::abs(numeric), 1e-6});
    if (std::abs(numeric - analytic) <= kTolerance * scale) return;
    seen += (seen.empty() ? "" : ", ") + format_number(numeric);
  }
  throw Failure("along a random direction the loss has the derivative " + format_number(analytic) +
                " by backward, and " + seen + " by differences");
}

}  // namespace

std::vector<Test> model_tests() {
  return {{"model.registers_parameters", "model", registers_parameters},
          {"model.first_weights_follow_from_the_seed", "model", first_weights_follow_from_the_seed},
          {"model.evaluation_is_repeatable", "model", evaluation_is_repeatable},
          {"model.gradients_flow", "model", gradients_flow},
          {"model.gradients_are_right", "model", gradients_are_right}};
}

}  // namespace hob::session::verify
