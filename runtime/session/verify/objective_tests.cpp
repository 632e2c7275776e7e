#include <ATen/TensorOperators.h>
#include <ATen/ops/isfinite.h>

#include <cmath>

#include "base/text.h"
#include "session/forward.h"
#include "session/verify/stage.h"
#include "session/verify/task.h"
#include "session/verify/test.h"

// Objectives: weights from the targets alone, sums that are differentiable and, for decomposable
// ones, add up over samples.

namespace hob::session::verify {
namespace {

class Loss {
 public:
  explicit Loss(Bench& bench) : bench_(bench), stage_(bench) {
    bench.watch("terms", [&] { terms_ = objective_terms(*stage_.instance); });
    for (const hob_term& term : terms_) {
      expect(term.name != nullptr && *term.name != 0, "a term has no name");
      expect(std::isfinite(term.coefficient),
             "the coefficient of the term " + quote(term.name) + " is not finite");
    }
  }

  const std::vector<hob_term>& terms() const { return terms_; }

  std::vector<double> weights(const Task& task) const {
    const std::vector<hob_named_view> batch = views_of(task.batch);
    std::vector<double> result(terms_.size(), -1);
    bench_.watch("weights", [&] {
      stage_.instance->call(&hob_objective::weights, batch.data(),
                            static_cast<uint32_t>(batch.size()), result.data());
    });
    return result;
  }

  std::vector<at::Tensor> sums(const Task& task) const {
    const std::vector<hob_named_tensor> outputs = tensors_of(task.outputs);
    const std::vector<hob_named_tensor> batch = tensors_of(task.batch);
    std::vector<hob_tensor*> raw(terms_.size());
    bench_.watch("sums", [&] {
      stage_.instance->call(&hob_objective::sums, outputs.data(),
                            static_cast<uint32_t>(outputs.size()), batch.data(),
                            static_cast<uint32_t>(batch.size()), raw.data());
    });
    std::vector<at::Tensor> result;
    for (hob_tensor* tensor : raw) {
      expect(tensor != nullptr, "sums succeeded and left a term's sum NULL");
      result.push_back(host::take(tensor));
    }
    return result;
  }

 private:
  Bench& bench_;
  Stage stage_;
  std::vector<hob_term> terms_;
};

void on_each_task(Bench& bench, const std::function<void(const Loss&, const Task&)>& check) {
  const Loss loss(bench);
  const auto take = [&](const Task& task) {
    loss.weights(task);
    loss.sums(task);
  };
  on_each_task(bench, take, [&](const Task& task) { check(loss, task); });
}

void weights_are_finite_and_add_up(Bench& bench) {
  on_each_task(bench, [&](const Loss& loss, const Task& task) {
    const std::vector<double> whole = loss.weights(task);
    std::vector<double> parts(whole.size(), 0.0);
    for (int64_t i = 0; i < kTaskSamples; ++i) {
      const std::vector<double> one = loss.weights(task.part(i, i + 1));
      for (size_t t = 0; t < one.size(); ++t) parts[t] += one[t];
    }
    for (size_t t = 0; t < whole.size(); ++t) {
      const std::string term = "the weight of the term " + quote(loss.terms()[t].name);
      expect(std::isfinite(whole[t]) && whole[t] >= 0,
             term + " is " + format_number(whole[t]) +
                 "; expected a finite number that is not negative");
      expect(std::abs(whole[t] - parts[t]) <= 1e-9 * std::max(1.0, whole[t]),
             term + " is " + format_number(whole[t]) + " in a batch, and " +
                 format_number(parts[t]) + " summed over its samples");
    }
  });
}

void sums_are_differentiable(Bench& bench) {
  on_each_task(bench, [&](const Loss& loss, const Task& given) {
    Task task = given.part(0, kTaskSamples);
    task.require_gradients();
    const std::vector<at::Tensor> sums = loss.sums(task);
    at::Tensor total;
    for (size_t t = 0; t < sums.size(); ++t) {
      const std::string term = "the sum of the term " + quote(loss.terms()[t].name);
      expect(sums[t].numel() == 1,
             term + " has " + std::to_string(sums[t].numel()) + " elements, expected one");
      expect(at::isfinite(sums[t]).item<bool>(), term + " is not finite");
      const at::Tensor part = sums[t].sum() * loss.terms()[t].coefficient;
      total = total.defined() ? total + part : part;
    }
    expect(total.requires_grad(),
           "no gradient flows: the sums do not depend on the outputs for autograd");
    total.backward();
    bool any = false;
    for (size_t i = 0; i < task.outputs.size(); ++i) {
      const auto& [name, tensor] = task.outputs[i];
      if (!tensor.grad().defined()) continue;
      any = any || tensor.grad().abs().sum().item<double>() > 0;
      expect(at::isfinite(tensor.grad()).all().item<bool>(),
             "the gradient of the output " + quote(name) + " is not finite");
      expect(same_bits(tensor, given.outputs[i].second),
             "sums changed the output " + quote(name) + " in place");
    }
    expect(any, "the gradient of every output is zero");
  });
}

void is_decomposable(Bench& bench) {
  if (!bench.component().has_trait("decomposable")) throw Skip("it has no trait decomposable");
  on_each_task(bench, [&](const Loss& loss, const Task& task) {
    const std::vector<at::Tensor> whole = loss.sums(task);
    std::vector<double> parts(whole.size(), 0.0), sizes(whole.size(), 0.0);
    for (int64_t i = 0; i < kTaskSamples; ++i) {
      const std::vector<at::Tensor> one = loss.sums(task.part(i, i + 1));
      for (size_t t = 0; t < one.size(); ++t) {
        parts[t] += one[t].item<double>();
        sizes[t] += std::abs(one[t].item<double>());
      }
    }
    for (size_t t = 0; t < whole.size(); ++t) {
      // float32 sums of a few terms: some units in the last place of the largest of them.
      constexpr double kTolerance = 1e-5;
      const double together = whole[t].item<double>();
      expect(std::abs(together - parts[t]) <= kTolerance * std::max(1e-3, sizes[t]),
             "the sum of the term " + quote(loss.terms()[t].name) + " is " +
                 format_number(together) + " over a batch, and its samples' are " +
                 format_number(parts[t]) + " together: it is not decomposable");
    }
  });
}

}  // namespace

std::vector<Test> objective_tests() {
  return {{"objective.weights_are_finite_and_add_up", "objective", weights_are_finite_and_add_up},
          {"objective.sums_are_differentiable", "objective", sums_are_differentiable},
          {"objective.is_decomposable", "objective", is_decomposable}};
}

}  // namespace hob::session::verify
