// One model for each layer of the native tier: x -> y, for the comparison with PyTorch's layers.

#include <hob/native/model.h>
#include <hob/native/nn.h>

namespace {

using namespace hob::native;

template <class Layer>
class Single : public Model<hob::NoConfig> {
 public:
  std::vector<const char*> inputs() const override { return {"x"}; }
  Outputs forward(const Batch& batch) override { return {{"y", layer_(batch["x"])}}; }

 protected:
  template <class... Arguments>
  explicit Single(const Arguments&... arguments) : layer_(Scope(*this) / "layer", arguments...) {}

  Layer layer_;
};

struct LinearModel : Single<Linear> {
  LinearModel() : Single(12, 7) {}
};
struct Conv2dModel : Single<Conv2d> {
  Conv2dModel()
      : Single(8, 12, 3, Conv2d::Options{.stride = 2, .padding = 2, .dilation = 2, .groups = 4}) {}
};
struct EmbeddingModel : Single<Embedding> {
  EmbeddingModel() : Single(20, 6) {}
};
struct LayerNormModel : Single<LayerNorm> {
  LayerNormModel() : Single(12) {}
};
struct RmsNormModel : Single<RmsNorm> {
  RmsNormModel() : Single(12) {}
};
struct BatchNorm2dModel : Single<BatchNorm2d> {
  BatchNorm2dModel() : Single(5) {}
};
struct AttentionModel : Single<Attention> {
  AttentionModel() : Single(32, Attention::Options{.heads = 4}) {}
};
struct CausalAttentionModel : Single<Attention> {
  CausalAttentionModel()
      : Single(32, Attention::Options{.heads = 4, .kv_heads = 2, .causal = true}) {}
};

// Two inputs of a segment, and a head on the embedding's weight.
class TiedModel : public Model<hob::NoConfig> {
 public:
  std::vector<const char*> inputs() const override { return {"x"}; }
  Outputs forward(const Batch& batch) override {
    const at::Tensor x = embedding_(batch["x"]);
    const at::Tensor y = block_(
        [this](const at::Tensor& a, const at::Tensor& b) { return norm_(a + head_(a).sum() * b); },
        x, x * 0.5);
    return {{"y", head_(y)}};
  }

 private:
  Scope root_{*this};
  Embedding embedding_{root_ / "embedding", 20, 6};
  Segment block_{root_ / "block"};
  LayerNorm norm_{root_ / "block" / "norm", 6};
  Linear head_{root_ / "head", 6, 20, {.bias = false, .tied = embedding_.weight()}};
};

}  // namespace

HOB_PLUGIN("org.hob.test.layers", "1.0.0", hob::add<LinearModel>("linear", "A layer"),
           hob::add<Conv2dModel>("conv2d", "A layer"),
           hob::add<EmbeddingModel>("embedding", "A layer"),
           hob::add<LayerNormModel>("layer_norm", "A layer"),
           hob::add<RmsNormModel>("rms_norm", "A layer"),
           hob::add<BatchNorm2dModel>("batch_norm2d", "A layer"),
           hob::add<AttentionModel>("attention", "A layer"),
           hob::add<CausalAttentionModel>("causal_attention", "A layer"),
           hob::add<TiedModel>("tied", "A segment of two inputs, a tied head"))
