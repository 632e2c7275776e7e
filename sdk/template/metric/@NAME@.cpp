#include <hob/metric.h>

#include <cmath>

// The share of wrong answers: logits are (B, C), labels (B).

namespace {

struct @CLASS@Config {
  std::string logits, label;
  HOB_SCHEMA(@CLASS@Config, HOB_PARAM(logits, "logits", "output of the model"),
             HOB_PARAM(label, "label", "field of the batch"))
};

class @CLASS@ : public hob::Metric<@CLASS@Config> {
 public:
  std::vector<hob_result> results() const override {
    return {{"@NAME@", HOB_LOWER_IS_BETTER, 0}};
  }

  // What adds up over batches of any size: [wrong answers, all answers]. No waiting for a device.
  hob::Tensor sums(std::span<const hob_named_tensor> outputs,
                   std::span<const hob_named_tensor> batch) const override {
    const hob::TensorRef labels = hob::find(batch, config.label);
    const hob::Tensor answers = hob::argmax(hob::find(outputs, config.logits), -1);  // (B)
    const hob::Tensor wrong = hob::sum(hob::ne(answers, labels), HOB_FLOAT64);
    const hob::Tensor count = hob::mul(hob::ones_like(wrong), static_cast<double>(labels.numel()));
    const hob::TensorRef both[] = {wrong, count};
    return hob::stack(hob::TensorList(both));
  }

  void finish(std::span<const double> sums, std::span<double> out) const override {
    out[0] = sums.empty() || sums[1] == 0 ? std::nan("") : sums[0] / sums[1];
  }
};

}  // namespace

HOB_PLUGIN("org.example.@NAME@", "0.1.0",
           hob::add<@CLASS@>("@NAME@", "Share of wrong answers"))
