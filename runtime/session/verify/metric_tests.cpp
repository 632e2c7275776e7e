#include <ATen/TensorOperators.h>
#include <ATen/core/grad_mode.h>
#include <hob/abi/metric.h>

#include <cmath>
#include <set>

#include "base/text.h"
#include "session/verify/stage.h"
#include "session/verify/task.h"
#include "session/verify/test.h"

// Metrics: sums that add up over batches of any size, and results that follow from them.

namespace hob::session::verify {
namespace {

constexpr uint32_t kMaxResults = 16;

class Measure {
 public:
  explicit Measure(Bench& bench) : bench_(bench), stage_(bench), results_(kMaxResults) {
    uint32_t count = 0;
    bench.watch("results", [&] {
      stage_.instance->call(&hob_metric::results, results_.data(), kMaxResults, &count);
    });
    expect(count >= 1 && count <= kMaxResults, "it has " + std::to_string(count) +
                                                   " results, 1 to " + std::to_string(kMaxResults) +
                                                   " are possible");
    results_.resize(count);
  }

  const std::vector<hob_result>& results() const { return results_; }

  at::Tensor sums(const Task& task) const {
    const at::NoGradGuard no_grad;  // as in an evaluation
    const std::vector<hob_named_tensor> outputs = tensors_of(task.outputs);
    const std::vector<hob_named_tensor> batch = tensors_of(task.batch);
    hob_tensor* raw = nullptr;
    bench_.watch("sums", [&] {
      stage_.instance->call(&hob_metric::sums, outputs.data(),
                            static_cast<uint32_t>(outputs.size()), batch.data(),
                            static_cast<uint32_t>(batch.size()), &raw);
    });
    expect(raw != nullptr, "sums succeeded and left its tensor NULL");
    at::Tensor sums = host::take(raw);
    expect(sums.scalar_type() == at::kDouble && sums.dim() == 1,
           std::string("sums is a tensor of ") + std::to_string(sums.dim()) +
               " dimensions and type " + c10::toString(sums.scalar_type()) +
               ", expected a vector of float64");
    return sums;
  }

  std::vector<double> finish(const at::Tensor& sums) const {
    std::vector<double> values(results_.size());
    const at::Tensor host = sums.defined() ? sums.contiguous() : sums;
    bench_.watch("finish", [&] {
      stage_.instance->call(&hob_metric::finish, host.defined() ? host.data_ptr<double>() : nullptr,
                            static_cast<uint32_t>(host.defined() ? host.numel() : 0),
                            values.data());
    });
    return values;
  }

 private:
  Bench& bench_;
  Stage stage_;
  std::vector<hob_result> results_;
};

void on_each_task(Bench& bench, const std::function<void(const Measure&, const Task&)>& check) {
  const Measure measure(bench);
  const auto take = [&](const Task& task) { measure.sums(task); };
  on_each_task(bench, take, [&](const Task& task) { check(measure, task); });
}

void has_named_results(Bench& bench) {
  const Measure measure(bench);
  std::set<std::string> names;
  for (const hob_result& result : measure.results()) {
    expect(result.name != nullptr && *result.name != 0, "a result has no name");
    expect(names.insert(result.name).second, "two results are named " + quote(result.name));
    expect(result.direction <= HOB_LOWER_IS_BETTER,
           "the direction of the result " + quote(result.name) + " is no hob_direction");
  }
}

void sums_add_up(Bench& bench) {
  on_each_task(bench, [&](const Measure& measure, const Task& task) {
    const at::Tensor whole = measure.sums(task);
    at::Tensor parts = measure.sums(task.part(0, 3)) + measure.sums(task.part(3, kTaskSamples));
    expect(whole.sizes() == parts.sizes(), "the number of sums depends on the batch");
    // float64 sums of a handful of float32 numbers.
    const at::Tensor difference = (whole - parts).abs();
    expect(difference.le(whole.abs() * 1e-6 + 1e-9).all().item<bool>(),
           "the sums of a batch are not those of its two parts together: over batches of other "
           "sizes the results would be others");
    const std::vector<double> results = measure.finish(whole);
    for (size_t i = 0; i < results.size(); ++i) {
      expect(std::isfinite(results[i]), "the result " + quote(measure.results()[i].name) + " is " +
                                            format_number(results[i]) + " for an ordinary batch");
    }
  });
}

void changes_nothing(Bench& bench) {
  on_each_task(bench, [&](const Measure& measure, const Task& task) {
    const Task copy = task.part(0, kTaskSamples);
    const at::Tensor first = measure.sums(task);
    expect(same_bits(first, measure.sums(task)), "the sums of one batch differ when taken twice");
    for (size_t i = 0; i < task.outputs.size(); ++i) {
      expect(same_bits(task.outputs[i].second, copy.outputs[i].second),
             "sums changed the output " + quote(task.outputs[i].first));
    }
    for (size_t i = 0; i < task.batch.size(); ++i) {
      expect(same_bits(task.batch[i].second, copy.batch[i].second),
             "sums changed the field " + quote(task.batch[i].first));
    }
  });
}

// Where an evaluation had no batch there is no number, or a neutral one.
void finishes_without_a_batch(Bench& bench) {
  const Measure measure(bench);
  const std::vector<double> results = measure.finish({});
  for (size_t i = 0; i < results.size(); ++i) {
    expect(!std::isinf(results[i]), "without any batch the result " +
                                        quote(measure.results()[i].name) +
                                        " is infinite; expected NaN or a finite number");
  }
}

}  // namespace

std::vector<Test> metric_tests() {
  return {{"metric.has_named_results", "metric", has_named_results},
          {"metric.sums_add_up", "metric", sums_add_up},
          {"metric.changes_nothing", "metric", changes_nothing},
          {"metric.finishes_without_a_batch", "metric", finishes_without_a_batch}};
}

}  // namespace hob::session::verify
