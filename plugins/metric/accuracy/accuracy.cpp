#include <hob/metric.h>

#include <cmath>

// The share of targets whose class is among the k largest logits. Logits are (..., C), labels
// (...).

namespace {

struct AccuracyConfig {
  int64_t k, ignore_index;
  std::string logits, label;
  HOB_SCHEMA(AccuracyConfig, HOB_PARAM(k, 1, hob::ge(1), "how many of the largest logits may hit"),
             HOB_PARAM(ignore_index, -100, "targets of this value are not counted"),
             HOB_PARAM(logits, "logits", "output of the model"),
             HOB_PARAM(label, "label", "field of the batch, int64"))
};

class Accuracy : public hob::Metric<AccuracyConfig> {
 public:
  Accuracy() : name_(config.k == 1 ? "accuracy" : "top" + std::to_string(config.k)) {}

  std::vector<hob_result> results() const override {
    return {{name_.c_str(), HOB_HIGHER_IS_BETTER, 0}};
  }

  hob::Tensor sums(std::span<const hob_named_tensor> outputs,
                   std::span<const hob_named_tensor> batch) const override {
    const hob::TensorRef logits = hob::find(outputs, config.logits);
    const hob::TensorRef labels = hob::find(batch, config.label);
    const int64_t classes = logits.dim() ? logits.size(logits.dim() - 1) : 0;
    if (config.k > classes) {
      throw hob::Error("k = " + std::to_string(config.k) + " of " + std::to_string(classes) +
                           " classes: it must not be more",
                       HOB_ERROR_INVALID);
    }
    const hob::Tensor rows = hob::reshape(logits, {-1, classes});               // (N, C)
    const hob::Tensor targets = hob::reshape(labels, {-1, 1});                  // (N, 1)
    const hob::Tensor best = hob::topk(rows, config.k).second;                  // (N, k)
    const hob::Tensor counted = hob::ne(targets, double(config.ignore_index));  // (N, 1)
    const hob::Tensor correct = hob::mul(hob::eq(best, targets), counted);      // (N, k)
    const hob::Tensor both[] = {hob::sum(correct, HOB_FLOAT64), hob::sum(counted, HOB_FLOAT64)};
    const hob::TensorRef refs[] = {both[0], both[1]};
    return hob::stack(hob::TensorList(refs));
  }

  void finish(std::span<const double> sums, std::span<double> out) const override {
    out[0] = sums.empty() || sums[1] == 0 ? std::nan("") : sums[0] / sums[1];
  }

 private:
  std::string name_;
};

}  // namespace

HOB_PLUGIN("org.hob.accuracy", "0.1.0",
           hob::add<Accuracy>("accuracy", "Share of right answers among the k best"))
