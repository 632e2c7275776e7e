#include <hob/objective.h>

// The focal loss: -(1 - p)^gamma * log p, where p is the probability of the right class. Lin et
// al., "Focal Loss for Dense Object Detection" (2017), equation 4. Logits are (B, C), labels (B).

namespace {

constexpr int64_t kEach = 0;  // LibTorch's at::Reduction::None

struct @CLASS@Config {
  double gamma;
  std::string logits, label;
  HOB_SCHEMA(@CLASS@Config,
             HOB_PARAM(gamma, 2.0, hob::ge(0), "how much easy samples count for less"),
             HOB_PARAM(logits, "logits", "output of the model"),
             HOB_PARAM(label, "label", "field of the batch, int64"))
};

class @CLASS@ : public hob::Objective<@CLASS@Config> {
 public:
  // The weight of these samples, from the targets alone: hob divides the sum by it.
  void weights(hob::NamedViews batch, std::span<double> out) const override {
    const hob_view& labels = hob::find(batch, config.label);
    if (labels.rank != 1) {
      throw hob::Error("field '" + config.label + "' is not one label for each sample",
                       HOB_ERROR_INVALID);
    }
    out[0] = static_cast<double>(labels.shape[0]);
  }

  // The sum over these samples: one element, differentiable.
  std::vector<hob::Tensor> sums(hob::NamedTensors outputs, hob::NamedTensors batch) override {
    const hob::TensorRef logits = hob::find(outputs, config.logits);
    const hob::TensorRef labels = hob::find(batch, config.label);
    if (logits.dim() != 2 || labels.dim() != 1 || labels.dtype() != HOB_INT64) {
      throw hob::Error("expected logits (B, C) and int64 labels (B)", HOB_ERROR_INVALID);
    }
    const int32_t dtype = logits.dtype() == HOB_FLOAT64 ? HOB_FLOAT64 : HOB_FLOAT32;
    const hob::Tensor loss =
        hob::cross_entropy_loss(hob::to_dtype(logits, dtype), labels, {}, kEach);  // (B): -log p
    const hob::Tensor missing = hob::add(hob::neg(hob::exp(hob::neg(loss))), 1.0);  // 1 - p
    // Clamped: the gradient of x^gamma at 0 is infinite for gamma < 1.
    const hob::Tensor factor = hob::pow(hob::clamp(missing, 1e-12), config.gamma);
    return {hob::sum(hob::mul(factor, loss))};
  }
};

}  // namespace

HOB_PLUGIN("org.example.@NAME@", "0.1.0",
           hob::add<@CLASS@>("@NAME@", "Cross entropy in which easy samples count for less",
                             hob::trait("decomposable")))
