// A model of the stable tier, for the comparison with PyTorch's layers.

#include <hob/layers.h>
#include <hob/model.h>

namespace {

struct StableConfig {
  int64_t width;
  HOB_SCHEMA(StableConfig, HOB_PARAM(width, 20, hob::ge(1), "of the hidden layer"))
};

class StableMlp : public hob::Model<StableConfig> {
 public:
  std::vector<hob::ModelOutput> forward(hob::NamedTensors batch) override {
    const hob::Tensor x = hob::flatten(hob::find(batch, "image"), 1);  // (B, 48)
    return {{"logits", hob::mul(head_(hob::relu(hidden_(x))), scale_->value)}};
  }

 private:
  hob::Linear hidden_{env(), "hidden", 48, config.width};
  hob::Linear head_{env(), "head", config.width, 10, false, HOB_ROLE_HEAD};
  hob::Param* scale_ = parameter("scale", hob::ones({10}), HOB_ROLE_WEIGHT);
};

}  // namespace

HOB_PLUGIN("org.hob.test.stable", "1.0.0", hob::add<StableMlp>("stable", "A stable-tier model"))
