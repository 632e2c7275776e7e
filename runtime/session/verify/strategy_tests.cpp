#include <ATen/TensorOperators.h>
#include <ATen/core/grad_mode.h>
#include <ATen/ops/isfinite.h>
#include <hob/abi/compression.h>
#include <hob/abi/precision.h>

#include "base/text.h"
#include "session/verify/stage.h"
#include "session/verify/test.h"

// Precision, memory and compression: what acts on a model without knowing it.

namespace hob::session::verify {
namespace {

struct SomeImages {
  explicit SomeImages(Bench& bench)
      : images(bench.randn({4, 3, 6, 6})),
        labels(bench.random_labels({4}, ReferenceModel::kClasses)) {}

  at::Tensor images;  // (B, 3, 6, 6)
  at::Tensor labels;  // (B)
};

// Precision

hob_precision_plan plan_of(Bench& bench, const Stage& stage) {
  hob_precision_plan plan{sizeof(hob_precision_plan), HOB_FLOAT32, -1, 0};
  bench.watch("plan", [&] { stage.instance->call(&hob_precision::plan, &plan); });
  return plan;
}

void plans_types_that_exist(Bench& bench) {
  const Stage stage(bench);
  const hob_precision_plan plan = plan_of(bench, stage);
  const auto is_float = [](int32_t dtype) {
    return dtype == HOB_FLOAT16 || dtype == HOB_FLOAT32 || dtype == HOB_FLOAT64 ||
           dtype == HOB_BFLOAT16;
  };
  expect(plan.struct_size == sizeof(hob_precision_plan), "plan changed struct_size");
  expect(is_float(plan.parameter_dtype),
         "parameter_dtype = " + std::to_string(plan.parameter_dtype) +
             " is no floating type that parameters can have");
  expect(plan.autocast_dtype == -1 || plan.autocast_dtype == HOB_FLOAT16 ||
             plan.autocast_dtype == HOB_BFLOAT16,
         "autocast_dtype = " + std::to_string(plan.autocast_dtype) +
             " is neither -1 nor float16 or bfloat16");
  expect(plan.allow_tf32 == 0 || plan.allow_tf32 == 1,
         "allow_tf32 = " + std::to_string(plan.allow_tf32) + ", expected 0 or 1");
}

void plans_the_same_each_time(Bench& bench) {
  const Stage stage(bench);
  const hob_precision_plan first = plan_of(bench, stage), second = plan_of(bench, stage);
  expect(first.parameter_dtype == second.parameter_dtype &&
             first.autocast_dtype == second.autocast_dtype && first.allow_tf32 == second.allow_tf32,
         "asked twice, plan answers differently");
}

// Memory

// How a segment runs changes no number.
void memory_keeps_every_number(Bench& bench) {
  const SomeImages data(bench);
  host::World plain_world{at::kCPU};
  ReferenceModel plain(plain_world, bench.seed());
  Stage stage(bench);
  expect(first_difference(snapshot(plain_world), snapshot(stage.world)).empty(),
         "attach changed the model's parameters");
  expect(same_bits(plain.forward(data.images), stage.model->forward(data.images)),
         "the model's outputs are others than without it");
  for (int update = 0; update < 2; ++update) {
    const auto expected = plain.gradients(data.images, data.labels);
    std::map<std::string, at::Tensor> gradients;
    bench.watch("forward and backward",
                [&] { gradients = stage.model->gradients(data.images, data.labels); });
    const std::string different = first_difference(expected, gradients);
    expect(different.empty(),
           "the gradient of " + quote(different) + " is another than without it");
  }
}

// Compression

// Steps what is trained, as plain gradient descent does.
void train(Stage& stage, const SomeImages& data, int updates) {
  for (int update = 0; update < updates; ++update) {
    stage.model->gradients(data.images, data.labels);
    const at::NoGradGuard no_grad;
    for (host::Param& param : stage.world.params()) {
      if (param.tensor.defined() && param.tensor.grad().defined()) {
        param.tensor.sub_(param.tensor.grad(), 0.1);
      }
    }
  }
}

at::Tensor evaluate(Stage& stage, const SomeImages& data) {
  const at::NoGradGuard no_grad;
  stage.world.pass().training = 0;
  return stage.model->forward(data.images);
}

void trains(Bench& bench) {
  const SomeImages data(bench);
  Stage stage(bench);
  const auto gradients = stage.model->gradients(data.images, data.labels);
  for (const auto& [name, gradient] : gradients) {
    expect(at::isfinite(gradient).all().item<bool>(),
           "the gradient of " + quote(name) + " is not finite");
  }
  const bool any = std::any_of(
      stage.world.params().begin(), stage.world.params().end(),
      [&](const host::Param& p) { return p.is_trainable() && gradients.contains(p.full_name); });
  expect(any, "no trainable parameter receives a gradient");
  expect(at::isfinite(evaluate(stage, data)).all().item<bool>(), "the outputs are not finite");
}

void finalize_keeps_the_outputs(Bench& bench) {
  const SomeImages data(bench);
  Stage stage(bench);
  train(stage, data, 5);
  const at::Tensor before = evaluate(stage, data);
  bench.watch("finalize", [&] { stage.instance->call(&hob_compression::finalize); });
  const at::Tensor after = evaluate(stage, data);
  const double scale = std::max(1.0, before.abs().max().item<double>());
  const double difference = (after - before).abs().max().item<double>();
  // Folding rounds each weight once, in float32.
  constexpr double kTolerance = 1e-4;
  expect(difference <= kTolerance * scale,
         "finalize changed the model's outputs by up to " + format_number(difference) + " of " +
             format_number(scale) + ": the exported model is not the one that was evaluated");
  stage.instance.reset();
  expect(
      same_bits(after, evaluate(stage, data)),
      "after finalize the outputs still depend on the instance: they change when it is destroyed");
}

void compression_resume_is_bitwise(Bench& bench) {
  const SomeImages data(bench);
  Stage whole(bench), first(bench), second(bench);
  train(whole, data, 4);
  train(first, data, 2);
  const host::State saved = copy_of(first.instance->save());
  put_back(snapshot(first.world), second.world);
  bench.watch("load", [&] { second.instance->load(saved); });
  train(second, data, 2);
  const std::string different = first_difference(snapshot(whole.world), snapshot(second.world));
  expect(different.empty(),
         "four updates in a row, and two, saved, loaded and two more, give "
         "another " +
             quote(different));
}

}  // namespace

std::vector<Test> precision_tests() {
  return {{"precision.plans_types_that_exist", "precision", plans_types_that_exist},
          {"precision.plans_the_same_each_time", "precision", plans_the_same_each_time}};
}

std::vector<Test> memory_tests() {
  return {{"memory.keeps_every_number", "memory", memory_keeps_every_number}};
}

std::vector<Test> compression_tests() {
  return {{"compression.trains", "compression", trains},
          {"compression.finalize_keeps_the_outputs", "compression", finalize_keeps_the_outputs},
          {"compression.resume_is_bitwise", "compression", compression_resume_is_bitwise}};
}

}  // namespace hob::session::verify
