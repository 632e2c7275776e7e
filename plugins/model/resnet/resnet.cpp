#include <ATen/ops/adaptive_avg_pool2d.h>
#include <ATen/ops/add.h>
#include <ATen/ops/max_pool2d.h>
#include <ATen/ops/relu.h>

#include <hob/native/conv.h>
#include <hob/native/linear.h>
#include <hob/native/model.h>
#include <hob/native/norm.h>
#include <hob/native/segment.h>

#include <array>

// He et al., Deep Residual Learning for Image Recognition, arXiv 1512.03385, with torchvision's
// names and its stride in the 3x3 convolution of a bottleneck ("V1.5"): weights go both ways.

namespace {

using namespace hob::native;

constexpr auto kChannelsLast = at::MemoryFormat::ChannelsLast;

struct ResnetConfig {
  int64_t depth;
  int64_t num_classes;
  int64_t in_channels;
  int64_t width;
  std::string stem;
  bool zero_init_residual;
  HOB_SCHEMA(ResnetConfig, HOB_PARAM(depth, 50, hob::in(18, 152), "layers: 18, 34, 50, 101 or 152"),
             HOB_PARAM(num_classes, hob::required, hob::ge(1), "outputs, one per class"),
             HOB_PARAM(in_channels, 3, hob::ge(1), "channels of an image"),
             HOB_PARAM(width, 64, hob::ge(1), "channels of the first stage; each next has twice"),
             HOB_PARAM(stem, "imagenet", hob::one_of("imagenet", "small"),
                       "imagenet: 7x7 stride 2, then pooling; small: 3x3, for images below 64"),
             HOB_PARAM(zero_init_residual, false, "each block begins as the identity"))
};

struct Depth {
  int64_t layers;
  bool bottleneck;
  std::array<int64_t, 4> blocks;
};
constexpr Depth kDepths[] = {{18, false, {2, 2, 2, 2}},
                             {34, false, {3, 4, 6, 3}},
                             {50, true, {3, 4, 6, 3}},
                             {101, true, {3, 4, 23, 3}},
                             {152, true, {3, 8, 36, 3}}};

const Depth& depth_of(int64_t layers) {
  for (const Depth& depth : kDepths) {
    if (depth.layers == layers) return depth;
  }
  throw hob::Error("depth is " + std::to_string(layers) + ", expected 18, 34, 50, 101 or 152",
                   HOB_ERROR_INVALID);
}

// A convolution without bias and the norm behind it.
struct ConvNorm {
  ConvNorm(const Scope& conv_scope, const Scope& norm_scope, int64_t in, int64_t out,
           int64_t kernel, int64_t stride, double scale = 1)
      : conv(conv_scope, in, out, kernel,
             {.stride = stride,
              .padding = kernel / 2,
              .bias = false,
              .init = init::kaiming_normal_fan_out(),
              .format = kChannelsLast}),
        norm(norm_scope, out, {.init = init::constant(scale)}) {}

  at::Tensor operator()(const at::Tensor& x) const { return norm(conv(x)); }

  Conv2d conv;
  BatchNorm2d norm;
};

// (B, in, H, W) -> (B, out, H / stride, W / stride): convolutions and what leads past them.
class Block {
 public:
  struct Shape {
    bool bottleneck;
    int64_t in;
    int64_t width;
    int64_t stride;
    bool zero_init;

    int64_t out() const { return bottleneck ? 4 * width : width; }
  };

  Block(const Scope& scope, const Shape& shape) : segment_(scope) {
    const double last_scale = shape.zero_init ? 0 : 1;
    const auto add = [&](int64_t in, int64_t out, int64_t kernel, int64_t stride, double scale) {
      const std::string number = std::to_string(convs_.size() + 1);
      convs_.emplace_back(scope / ("conv" + number), scope / ("bn" + number), in, out, kernel,
                          stride, scale);
    };
    if (shape.bottleneck) {
      add(shape.in, shape.width, 1, 1, 1);
      add(shape.width, shape.width, 3, shape.stride, 1);
      add(shape.width, shape.out(), 1, 1, last_scale);
    } else {
      add(shape.in, shape.width, 3, shape.stride, 1);
      add(shape.width, shape.width, 3, 1, last_scale);
    }
    if (shape.stride != 1 || shape.in != shape.out()) {
      const Scope past = scope / "downsample";
      downsample_.emplace(past / 0, past / 1, shape.in, shape.out(), 1, shape.stride);
    }
  }

  at::Tensor operator()(const at::Tensor& x) const {
    return segment_([this](const at::Tensor& v) { return run(v); }, x);
  }

 private:
  at::Tensor run(const at::Tensor& x) const {
    at::Tensor y = x;
    for (size_t i = 0; i + 1 < convs_.size(); ++i) y = at::relu(convs_[i](y));
    y = convs_.back()(y);
    return at::add(y, downsample_ ? (*downsample_)(x) : x).relu_();
  }

  Segment segment_;
  std::vector<ConvNorm> convs_;
  std::optional<ConvNorm> downsample_;
};

class Resnet : public Model<ResnetConfig> {
 public:
  Outputs forward(const Batch& batch) override {
    at::Tensor x = batch["image"].contiguous(kChannelsLast);  // (B, in_channels, H, W) float32
    x = at::relu(stem_(x));
    if (!small_) x = at::max_pool2d(x, {3, 3}, {2, 2}, {1, 1});
    for (const Block& block : blocks_) x = block(x);
    x = at::adaptive_avg_pool2d(x, {1, 1}).flatten(1);  // (B, features)
    return {{"logits", fc_(x)}};                        // (B, num_classes)
  }

 private:
  std::vector<Block> make_blocks() {
    const Depth& depth = depth_of(config.depth);
    std::vector<Block> blocks;
    Block::Shape shape{depth.bottleneck, config.width, config.width, 1, config.zero_init_residual};
    for (size_t stage = 0; stage < depth.blocks.size(); ++stage) {
      const Scope scope = root_ / ("layer" + std::to_string(stage + 1));
      for (int64_t i = 0; i < depth.blocks[stage]; ++i) {
        shape.stride = stage > 0 && i == 0 ? 2 : 1;
        blocks.emplace_back(scope / i, shape);
        shape.in = shape.out();
      }
      features_ = shape.out();
      shape.width *= 2;
    }
    return blocks;
  }

  Scope root_{*this};
  bool small_ = config.stem == "small";
  int64_t features_ = 0;
  ConvNorm stem_{root_ / "conv1", root_ / "bn1",  config.in_channels,
                 config.width,    small_ ? 3 : 7, small_ ? 1 : 2};
  std::vector<Block> blocks_ = make_blocks();
  Linear fc_{root_ / "fc", features_, config.num_classes, {.role = HOB_ROLE_HEAD}};
};

}  // namespace

HOB_PLUGIN("org.hob.resnet", "1.0.0",
           hob::add<Resnet>("resnet", "A residual network with torchvision's names of weights"))
