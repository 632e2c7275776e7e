#include <hob/dataset.h>
#include <hob/random.h>

#include <cmath>
#include <numbers>

// Points in the plane on rings around the origin; the ring is the class.

namespace {

struct @CLASS@Config {
  int64_t size, classes;
  double noise;
  HOB_SCHEMA(@CLASS@Config, HOB_PARAM(size, 1000, hob::ge(1), "number of samples"),
             HOB_PARAM(classes, 3, hob::ge(1), "number of rings"),
             HOB_PARAM(noise, 0.2, hob::in(0, 1), "thickness of a ring; they are 1 apart"))
};

class @CLASS@ : public hob::Dataset<@CLASS@Config> {
 public:
  uint64_t size() const override { return static_cast<uint64_t>(config.size); }

  // What a sample consists of: names, types and shapes without the batch.
  std::vector<hob::Field> fields() const override {
    return {hob::field("image", HOB_FLOAT32, {2}),
            hob::field("label", HOB_INT64, {}, config.classes)};
  }

  // Runs on several threads at once. A sample that cannot be read throws
  // hob::Error("...file and why...", HOB_ERROR_DATA).
  void read(uint64_t index, std::span<const hob::View> out) const override {
    hob::Random draw(instance_seed(), index);
    const auto label = static_cast<int64_t>(index % static_cast<uint64_t>(config.classes));
    const double radius =
        static_cast<double>(label + 1) + config.noise * (draw.uniform() - 0.5);
    const double angle = 2 * std::numbers::pi * draw.uniform();
    auto* point = static_cast<float*>(out[0].data);
    point[0] = static_cast<float>(radius * std::cos(angle));
    point[1] = static_cast<float>(radius * std::sin(angle));
    *static_cast<int64_t*>(out[1].data) = label;
  }
};

}  // namespace

HOB_PLUGIN("org.example.@NAME@", "0.1.0",
           hob::add<@CLASS@>("@NAME@", "Points on rings around the origin"))
