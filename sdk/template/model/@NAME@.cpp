#include <hob/layers.h>
#include <hob/model.h>

// Two linear layers with a ReLU between them, on flattened images: (B, ...) -> (B, num_classes).

namespace {

struct @CLASS@Config {
  int64_t inputs, hidden, num_classes;
  HOB_SCHEMA(@CLASS@Config,
             HOB_PARAM(inputs, 784, hob::ge(1), "values of one sample: channels * height * width"),
             HOB_PARAM(hidden, 64, hob::ge(1), "width between the layers"),
             HOB_PARAM(num_classes, 10, hob::ge(1), "outputs, one for each class"))
};

class @CLASS@ : public hob::Model<@CLASS@Config> {
 public:
  // Autograd follows the operators; precision and compression act on the layers.
  std::vector<hob::ModelOutput> forward(hob::NamedTensors batch) override {
    const hob::Tensor x = hob::flatten(hob::find(batch, "image"), 1);  // (B, inputs)
    return {{"logits", head_(hob::relu(hidden_(x)))}};
  }

 private:
  hob::Linear hidden_{env(), "hidden", config.inputs, config.hidden};
  hob::Linear head_{env(), "head", config.hidden, config.num_classes, true, HOB_ROLE_HEAD};
};

}  // namespace

HOB_PLUGIN("org.example.@NAME@", "0.1.0",
           hob::add<@CLASS@>("@NAME@", "Two linear layers"))
