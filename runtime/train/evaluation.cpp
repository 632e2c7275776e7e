#include "train/evaluation.h"

#include <ATen/TensorOperators.h>
#include <ATen/core/grad_mode.h>
#include <hob/abi/metric.h>

#include <algorithm>
#include <cmath>

#include "base/error.h"
#include "base/text.h"
#include "session/data.h"
#include "train/random_state.h"

namespace hob::train {
namespace {

constexpr uint32_t kMaxResults = 16;

}  // namespace

Evaluation::Evaluation(session::Session& session)
    : session_(session),
      source_(session::make_source(*session.eval_data)),
      loader_(session::make_eval_loader(session, source_)),
      forward_(session, source_.fields()) {
  for (const auto& metric : session.metrics) {
    hob_result raw[kMaxResults];
    uint32_t count = 0;
    metric->call(&hob_metric::results, raw, kMaxResults, &count);
    if (count > kMaxResults) {
      throw Error(Fault::kPlugin, metric->name() + " (" + metric->component() + ") has " +
                                      std::to_string(count) + " results, at most " +
                                      std::to_string(kMaxResults) + " are possible");
    }
    auto& results = results_.emplace_back();
    for (uint32_t i = 0; i < count; ++i) {
      results.push_back({raw[i].name, raw[i].direction == HOB_HIGHER_IS_BETTER});
    }
  }
}

Scalars Evaluation::run() {
  const at::NoGradGuard no_grad;
  const RandomState random = RandomState::capture(session_.world.device());
  const auto& terms = forward_.terms();
  std::vector<at::Tensor> term_sums(terms.size());
  std::vector<double> term_weights(terms.size(), 0.0);
  std::vector<at::Tensor> metric_sums(session_.metrics.size());
  const auto accumulate = [](at::Tensor& total, const at::Tensor& part) {
    total = total.defined() ? total + part : part;
  };

  loader_->seek({});
  data::Feed feed(*loader_, session_.world.device(), copies_);
  while (auto step = feed.next()) {
    for (const data::Batch& batch : step->batches) {
      const session::Outputs outputs = forward_.run(batch, /*training=*/false);
      const auto sums = forward_.sums(outputs, batch);
      for (size_t t = 0; t < terms.size(); ++t) accumulate(term_sums[t], sums[t].to(at::kDouble));
      for (size_t m = 0; m < session_.metrics.size(); ++m) {
        hob_tensor* raw = nullptr;
        session_.metrics[m]->call(&hob_metric::sums, outputs.tensors().data(),
                                  static_cast<uint32_t>(outputs.tensors().size()),
                                  batch.tensors().data(),
                                  static_cast<uint32_t>(batch.tensors().size()), &raw);
        accumulate(metric_sums[m], host::take(raw));
      }
    }
    for (size_t t = 0; t < terms.size(); ++t) term_weights[t] += step->window.weights()[t];
  }
  random.restore();

  if (std::none_of(term_weights.begin(), term_weights.end(), [](double w) { return w > 0; })) {
    throw Error(Fault::kRun,
                "the evaluation's targets have no weight at all: there is nothing in " +
                    source_.name() + " to measure a loss on");
  }
  double loss = 0;
  for (size_t t = 0; t < terms.size(); ++t) {
    if (term_weights[t] > 0) {
      // sync: the end of an evaluation
      loss += terms[t].coefficient * term_sums[t].item<double>() / term_weights[t];
    }
  }
  Scalars scalars{{"loss", loss}};
  for (size_t m = 0; m < session_.metrics.size(); ++m) {
    std::vector<double> sums;
    if (metric_sums[m].defined()) {
      const at::Tensor host = metric_sums[m].to(at::kCPU, at::kDouble).contiguous();
      sums.assign(host.data_ptr<double>(), host.data_ptr<double>() + host.numel());
    }
    std::vector<double> values(results_[m].size());
    session_.metrics[m]->call(&hob_metric::finish, sums.data(), static_cast<uint32_t>(sums.size()),
                              values.data());
    for (size_t i = 0; i < values.size(); ++i) {
      scalars.emplace_back(results_[m][i].name, values[i]);
    }
  }
  return scalars;
}

bool Evaluation::higher_is_better(const std::string& result) const {
  if (result == "loss") return false;
  std::vector<std::string> names{"loss"};
  for (const auto& results : results_) {
    for (const Result& r : results) {
      if (r.name == result) return r.higher_is_better;
      names.push_back(r.name);
    }
  }
  throw Error(Fault::kUsage, "checkpoint.best: no metric gives " + quote(result) +
                                 did_you_mean(result, names) + "; there are " + quote_all(names));
}

}  // namespace hob::train
