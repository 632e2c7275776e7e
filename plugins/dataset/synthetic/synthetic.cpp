#include <hob/dataset.h>
#include <hob/random.h>

#include <cmath>

// Samples made up from their index: x = pattern[label] + noise * n, where each class has a fixed
// random pattern in [-1, 1) and n is uniform with variance 1. Learnable, of any shape, needs no
// file; datasets with the same seed have the same patterns, whatever their noise.

namespace {

struct SyntheticConfig {
  int64_t size;
  std::vector<int64_t> shape;
  int64_t classes;
  double noise;
  int64_t seed;
  HOB_SCHEMA(SyntheticConfig, HOB_PARAM(size, 1024, hob::ge(1), "number of samples"),
             HOB_PARAM(shape, hob::ints(3, 32, 32), hob::ge(1), "of a sample, without the batch"),
             HOB_PARAM(classes, 10, hob::ge(1), "labels are 0 .. classes - 1, in turn"),
             HOB_PARAM(noise, 0.5, hob::ge(0), "standard deviation of what is not the pattern"),
             HOB_PARAM(seed, 0, "of the patterns; give training and evaluation the same"))
};

class Synthetic : public hob::Dataset<SyntheticConfig> {
 public:
  Synthetic() {
    constexpr int64_t kMaxElements = int64_t{1} << 28;  // 1 GiB of patterns
    int64_t left = kMaxElements / config.classes;
    for (const int64_t extent : config.shape) {
      left /= extent;
      elements_ *= static_cast<size_t>(left ? extent : 1);
    }
    if (left == 0) {
      throw hob::Error("the patterns of " + std::to_string(config.classes) + " classes of shape " +
                           hob::shape_text(config.shape) +
                           " exceed 1 GiB: choose a smaller shape or fewer classes",
                       HOB_ERROR_INVALID);
    }
    hob::Random random(config.seed);
    patterns_.resize(elements_ * static_cast<size_t>(config.classes));
    for (float& value : patterns_) value = static_cast<float>(2 * random.uniform() - 1);
  }

  uint64_t size() const override { return static_cast<uint64_t>(config.size); }
  std::vector<hob::Field> fields() const override {
    return {hob::field("image", HOB_FLOAT32, config.shape),
            hob::field("label", HOB_INT64, {}, config.classes)};
  }
  void read(uint64_t index, std::span<const hob::View> out) const override {
    const uint64_t label = index % static_cast<uint64_t>(config.classes);
    const float* pattern = patterns_.data() + label * elements_;
    auto* values = static_cast<float*>(out[0].data);
    hob::Random random(instance_seed(), index);
    const double scale = config.noise * std::sqrt(12.0);  // uniform() has the variance 1 / 12
    for (size_t i = 0; i < elements_; ++i) {
      values[i] = pattern[i] + static_cast<float>(scale * (random.uniform() - 0.5));
    }
    *static_cast<int64_t*>(out[1].data) = static_cast<int64_t>(label);
  }

 private:
  size_t elements_ = 1;
  std::vector<float> patterns_;  // (classes, elements)
};

}  // namespace

HOB_PLUGIN("org.hob.synthetic", "0.1.0",
           hob::add<Synthetic>("synthetic", "Learnable made-up samples of any shape"))
