#include <hob/objective.h>

// The cross entropy of logits z and class y, with label smoothing e over C classes (Szegedy et al.,
// "Rethinking the Inception Architecture", 2015, section 7):
//   (1 - e) * -log softmax(z)_y  +  e / C * sum over c of -log softmax(z)_c
// summed over the targets; the weight is the number of targets that are not ignored. Logits are
// (..., C), labels (...), so classes and the tokens of a text are the same to it.

namespace {

constexpr int64_t kSum = 2;  // LibTorch's at::Reduction::Sum

struct CrossEntropyConfig {
  double label_smoothing;
  int64_t ignore_index;
  std::string logits, label;
  HOB_SCHEMA(CrossEntropyConfig,
             HOB_PARAM(label_smoothing, 0.0, hob::in(0, 1), "share of the target spread evenly"),
             HOB_PARAM(ignore_index, -100, "targets of this value count for nothing"),
             HOB_PARAM(logits, "logits", "output of the model"),
             HOB_PARAM(label, "label", "field of the batch, int64"))
};

class CrossEntropy : public hob::Objective<CrossEntropyConfig> {
 public:
  void weights(hob::NamedViews batch, std::span<double> out) const override {
    const hob_view& labels = hob::find(batch, config.label);
    if (labels.dtype != HOB_INT64) {
      throw hob::Error("field '" + config.label + "' is not int64", HOB_ERROR_INVALID);
    }
    int64_t count = 1;
    for (uint32_t i = 0; i < labels.rank; ++i) count *= labels.shape[i];
    int64_t counted = 0;
    for (const int64_t label : std::span(static_cast<const int64_t*>(labels.data), count)) {
      if (label == config.ignore_index) continue;
      if (label < 0) {
        throw hob::Error("field '" + config.label + "' holds " + std::to_string(label) +
                             ", which is neither a class nor ignore_index",
                         HOB_ERROR_INVALID);
      }
      ++counted;
    }
    out[0] = static_cast<double>(counted);
  }

  std::vector<hob::Tensor> sums(hob::NamedTensors outputs, hob::NamedTensors batch) override {
    const hob::TensorRef logits = hob::find(outputs, config.logits);
    const hob::TensorRef labels = hob::find(batch, config.label);
    check_shapes(logits.sizes(), labels.sizes());
    const int32_t dtype = logits.dtype() == HOB_FLOAT64 ? HOB_FLOAT64 : HOB_FLOAT32;
    const hob::Tensor rows =
        hob::reshape(hob::to_dtype(logits, dtype), {-1, logits.size(logits.dim() - 1)});
    return {hob::cross_entropy_loss(rows, hob::reshape(labels, {-1}), {}, kSum, config.ignore_index,
                                    config.label_smoothing)};
  }

 private:
  void check_shapes(std::vector<int64_t> logits, const std::vector<int64_t>& labels) const {
    const std::string found = "'" + config.logits + "' is " + hob::shape_text(logits) + " and '" +
                              config.label + "' is " + hob::shape_text(labels);
    const bool scalar = logits.empty();
    if (!scalar) logits.pop_back();
    if (scalar || logits != labels) {
      throw hob::Error(found + "; expected the classes along the last dimension of '" +
                           config.logits + "', and the others equal",
                       HOB_ERROR_INVALID);
    }
  }
};

}  // namespace

HOB_PLUGIN("org.hob.cross_entropy", "0.1.0",
           hob::add<CrossEntropy>("cross_entropy", "Cross entropy of logits and class labels",
                                  hob::trait("decomposable")))
