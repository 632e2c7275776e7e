#include <ATen/CPUGeneratorImpl.h>
#include <ATen/TensorOperators.h>
#include <ATen/ops/empty.h>
#include <ATen/ops/empty_like.h>
#include <ATen/ops/isfinite.h>
#include <ATen/ops/ones.h>
#include <ATen/ops/zeros.h>

#include "base/text.h"
#include "session/optimizer.h"
#include "session/verify/test.h"

// Optimizers: some small parameters of usual shapes, stepped with gradients that follow from the
// seed, by the session's own optimizer.

namespace hob::session::verify {
namespace {

constexpr double kLr = 0.01;

class Training {
 public:
  struct Options {
    double lr = kLr;
    double weight_decay = 0;
    at::ScalarType dtype = at::kFloat;
  };

  // The same first parameters each time.
  Training(Bench& bench, const Options& options) : bench_(bench) {
    bench.make(world);  // throws Skip before anything else could fail
    add("fc.weight", {6, 4}, HOB_ROLE_WEIGHT, options.dtype);
    add("fc.bias", {6}, HOB_ROLE_BIAS, options.dtype);
    add("conv.weight", {4, 3, 3, 3}, HOB_ROLE_WEIGHT, options.dtype);
    add("scale", {}, HOB_ROLE_NORM, options.dtype);
    recipe::Optimizer recipe;
    recipe.component = bench.component();
    recipe.lr = options.lr;
    recipe.weight_decay = options.weight_decay;
    recipe::OptimizerGroup& biases = recipe.groups.emplace_back();
    biases.match = {"role:bias", "role:norm"};
    biases.lr = options.lr / 2;
    biases.params = recipe.component.params;
    optimizer = std::make_unique<Optimizer>(bench.make(world), recipe, world);
  }

  // Gradients of an update: the same ones each time. Parameters that match `without` have none.
  void set_gradients(uint64_t update, const std::string& without = "") {
    for (host::Param& param : world.params()) {
      at::Tensor& gradient = param.tensor.mutable_grad();
      gradient.reset();
      if (!without.empty() && param.matches(without)) continue;
      gradient =
          at::empty_like(param.tensor).detach();  // autograd's gradients lie as their parameter
      gradient.copy_(fixed_randn(param, 1000 + update));
    }
  }
  void step(uint64_t update, const at::Tensor* skip = nullptr) {
    set_gradients(update);
    bench_.watch("step", [&] { optimizer->step(1, 1, skip); });
  }
  void steps(uint64_t from, uint64_t to) {
    for (uint64_t update = from; update < to; ++update) step(update);
  }

  Snapshot params() { return snapshot(world); }
  void expect_finite() {
    for (const host::Param& param : world.params()) {
      expect(at::isfinite(param.tensor).all().item<bool>(),
             "after a step with ordinary gradients " + quote(param.full_name) + " is not finite");
    }
  }

  host::World world{at::kCPU};
  std::unique_ptr<Optimizer> optimizer;

 private:
  void add(const std::string& name, at::IntArrayRef sizes, uint32_t role, at::ScalarType dtype) {
    host::Param& param =
        world.add_param(name, at::zeros(sizes, dtype), role, HOB_PARAM_TRAINABLE, "model");
    at::Tensor value = fixed_randn(param, 0).to(dtype);
    // As convolutions often lie in memory.
    if (sizes.size() == 4) value = value.contiguous(at::MemoryFormat::ChannelsLast);
    param.assign(value.detach());
  }
  at::Tensor fixed_randn(const host::Param& param, uint64_t key) const {
    const uint64_t seed =
        bench_.seed() * 1000003 + key * 101 + std::hash<std::string>()(param.full_name);
    return at::empty(param.tensor.sizes(), at::kFloat)
        .normal_(0, 1, at::detail::createCPUGenerator(seed));
  }

  Bench& bench_;
};

bool has_trait(const Bench& bench, std::string_view trait) {
  return bench.component().has_trait(trait);
}

void steps_every_parameter(Bench& bench) {
  Training training(bench, {});
  const Snapshot before = training.params();
  training.steps(0, 5);
  training.expect_finite();
  std::vector<std::string> still;
  for (const auto& [name, tensor] : training.params()) {
    if (same_bits(tensor, before.at(name))) still.push_back(name);
  }
  expect(still.empty(), "five steps with ordinary gradients and lr = " + format_number(kLr) +
                            " did not change " + quote_all(still));
}

void stands_still_without_lr(Bench& bench) {
  Training training(bench, {.lr = 0});
  const Snapshot before = training.params();
  training.steps(0, 3);
  const std::string changed = first_difference(before, training.params());
  expect(changed.empty(), "with lr = 0 and weight_decay = 0 a step changed " + quote(changed));
}

void is_deterministic(Bench& bench) {
  Training first(bench, {}), second(bench, {});
  first.steps(0, 4);
  second.steps(0, 4);
  const std::string different = first_difference(first.params(), second.params());
  expect(different.empty(), "from the same parameters and gradients, " + quote(different) +
                                " is another one the second time");
}

void resume_is_bitwise(Bench& bench) {
  Training whole(bench, {});
  whole.steps(0, 8);

  Training first(bench, {});
  first.steps(0, 4);
  const host::State saved = copy_of(first.optimizer->save());
  const Snapshot params = first.params();
  Training second(bench, {});
  put_back(params, second.world);
  bench.watch("load", [&] { second.optimizer->load(saved); });
  second.steps(4, 8);

  const std::string param = first_difference(whole.params(), second.params());
  expect(param.empty(),
         "eight steps in a row, and four, saved, loaded and four more, give another " +
             quote(param) + ": something that steps depend on is not in the state");
  const std::string state =
      first_difference(copy_of(whole.optimizer->save()), second.optimizer->save());
  expect(state.empty(), "after resuming, the state " + quote(state) + " is another one");
}

void bears_missing_gradients(Bench& bench) {
  Training training(bench, {});
  uint64_t update = 0;
  for (const char* without : {"", "fc.weight", "role:bias", "conv.weight", "", "*.weight", ""}) {
    const Snapshot before = training.params();
    training.set_gradients(update++, without);
    bench.watch("step", [&] { training.optimizer->step(1, 1, nullptr); });
    for (const host::Param& param : training.world.params()) {
      if (*without == 0 || !param.matches(without)) continue;
      expect(same_bits(param.tensor, before.at(param.full_name)),
             "a step changed " + quote(param.full_name) + ", which had no gradient");
    }
    training.expect_finite();
  }
}

void bears_a_new_tensor(Bench& bench) {
  Training training(bench, {});
  training.steps(0, 2);
  host::Param& param = *training.world.find_param("fc.weight");
  param.assign(param.tensor.detach().narrow(0, 0, 4).clone());  // as after pruning
  const at::Tensor before = param.tensor.detach().clone();
  training.steps(2, 4);
  training.expect_finite();
  expect(!same_bits(before, param.tensor),
         "a parameter whose tensor was replaced between two updates is not stepped any more: lists "
         "of an earlier generation are used");
}

void applies_weight_decay(Bench& bench) {
  if (!has_trait(bench, "weight_decay")) throw Skip("it has no trait weight_decay");
  Training without(bench, {}), with(bench, {.weight_decay = 0.1});
  without.steps(0, 3);
  with.steps(0, 3);
  expect(
      !first_difference(without.params(), with.params()).empty(),
      "it declares the trait weight_decay, and weight_decay = 0.1 gives the very same parameters "
      "as 0");
}

void skip_flag_changes_nothing(Bench& bench) {
  if (!has_trait(bench, "skip_flag")) throw Skip("it has no trait skip_flag");
  const at::Tensor skip = at::ones({1}), go_on = at::zeros({1});
  Training training(bench, {});
  training.steps(0, 2);
  const Snapshot before = training.params();
  const host::State state = copy_of(training.optimizer->save());
  training.step(2, &skip);
  const std::string param = first_difference(before, training.params());
  expect(param.empty(), "a step with the skip flag at 1 changed " + quote(param));
  const std::string tensor =
      first_difference(state.tensors, copy_of(training.optimizer->save()).tensors);
  expect(tensor.empty(), "a step with the skip flag at 1 changed the state " + quote(tensor));
  training.step(2, &go_on);
  expect(!first_difference(before, training.params()).empty(),
         "a step with the skip flag at 0 changed nothing");
}

void steps_bfloat16(Bench& bench) {
  Training training(bench, {.lr = 0.1, .dtype = at::kBFloat16});
  const Snapshot before = training.params();
  try {
    training.steps(0, 3);
  } catch (const host::PluginError& error) {
    throw Skip(std::string("it does not step bfloat16 parameters: ") + error.what());
  }
  training.expect_finite();
  expect(!first_difference(before, training.params()).empty(), "no parameter was stepped");
}

}  // namespace

std::vector<Test> optimizer_tests() {
  const std::string kind = "optimizer";
  return {{"optimizer.steps_every_parameter", kind, steps_every_parameter},
          {"optimizer.stands_still_without_lr", kind, stands_still_without_lr},
          {"optimizer.is_deterministic", kind, is_deterministic},
          {"optimizer.resume_is_bitwise", kind, resume_is_bitwise},
          {"optimizer.bears_missing_gradients", kind, bears_missing_gradients},
          {"optimizer.bears_a_new_tensor", kind, bears_a_new_tensor},
          {"optimizer.applies_weight_decay", kind, applies_weight_decay},
          {"optimizer.skip_flag_changes_nothing", kind, skip_flag_changes_nothing},
          {"optimizer.steps_bfloat16", kind, steps_bfloat16}};
}

}  // namespace hob::session::verify
