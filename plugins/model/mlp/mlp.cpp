#include <ATen/ops/relu.h>

#include <hob/native/dropout.h>
#include <hob/native/linear.h>
#include <hob/native/model.h>
#include <hob/native/segment.h>

#include <sstream>

namespace {

using namespace hob::native;

struct MlpConfig {
  int64_t inputs;
  std::vector<int64_t> hidden;
  int64_t num_classes;
  double dropout;
  HOB_SCHEMA(MlpConfig,
             HOB_PARAM(inputs, 784, hob::ge(1), "values of one sample: channels * height * width"),
             HOB_PARAM(hidden, hob::ints(256), hob::ge(1), "widths of the hidden layers"),
             HOB_PARAM(num_classes, hob::required, hob::ge(1), "outputs, one per class"),
             HOB_PARAM(dropout, 0.0, hob::ge(0), hob::lt(1), "share of hidden values zeroed"))
};

// A hidden layer: linear, ReLU, dropout.
struct Hidden {
  Hidden(const Scope& scope, int64_t in, int64_t out, double p)
      : linear(scope, in, out), dropout(scope, p), segment(scope) {}

  at::Tensor operator()(const at::Tensor& x) const {
    return segment([this](const at::Tensor& v) { return dropout(at::relu(linear(v))); }, x);
  }

  Linear linear;
  Dropout dropout;
  Segment segment;
};

class Mlp : public Model<MlpConfig> {
 public:
  Mlp()
      : hidden_(make_hidden()),
        head_(root_ / "head", config.hidden.empty() ? config.inputs : config.hidden.back(),
              config.num_classes, {.role = HOB_ROLE_HEAD}) {}

  Outputs forward(const Batch& batch) override {
    const at::Tensor& image = batch["image"];  // (B, ...) float32
    at::Tensor x = image.flatten(1);           // (B, inputs)
    if (x.size(1) != config.inputs) {
      std::ostringstream text;
      text << "a batch of images has the size " << image.sizes() << ", so a sample has "
           << x.size(1) << " values, and the model was made for inputs = " << config.inputs
           << ": set inputs = " << x.size(1);
      throw hob::Error(text.str(), HOB_ERROR_INVALID);
    }
    for (const Hidden& layer : hidden_) x = layer(x);
    return {{"logits", head_(x)}};  // (B, num_classes)
  }

 private:
  std::vector<Hidden> make_hidden() const {
    std::vector<Hidden> layers;
    int64_t in = config.inputs;
    for (const int64_t out : config.hidden) {
      layers.emplace_back(root_ / "hidden" / static_cast<int64_t>(layers.size()), in, out,
                          config.dropout);
      in = out;
    }
    return layers;
  }

  Scope root_{*this};
  std::vector<Hidden> hidden_;
  Linear head_;
};

}  // namespace

HOB_PLUGIN("org.hob.mlp", "1.0.0",
           hob::add<Mlp>("mlp", "A multi-layer perceptron on flattened images"))
