#include <hob/transform.h>

// Sets a random square of the image to zero: DeVries and Taylor, "Improved Regularization of
// Convolutional Neural Networks with Cutout" (2017). The square's centre lies anywhere on the
// image, so that part of it may fall outside.

namespace {

struct @CLASS@Config {
  int64_t size;
  std::string field;
  HOB_SCHEMA(@CLASS@Config,
             HOB_PARAM(size, 8, hob::in(1, 1 << 20), hob::unit("pixels"), "side of the square"),
             HOB_PARAM(field, "image", "field of the sample that is changed"))
};

class @CLASS@ : public hob::FieldTransform<@CLASS@Config> {
  std::string_view field_name() const override { return config.field; }

  // Says what apply_field makes of the field; here it keeps type and shape.
  void plan_field(hob::Field& field) override {
    if (field.rank != 3) {
      throw hob::Error("field '" + config.field + "' of shape " + hob::shape_text(field) +
                           " is no image: expected (channels, height, width)",
                       HOB_ERROR_INVALID);
    }
  }

  // Runs on several threads at once. All randomness comes from `sample`.
  void apply_field(const hob_sample& sample, const hob::View& in,
                   const hob::View& out) const override {
    hob::copy(in, out);
    hob::Random draw = random(sample);
    const auto [top, bottom] = square(draw, out.shape[1]);
    const auto [left, right] = square(draw, out.shape[2]);
    const auto unit = static_cast<int64_t>(hob::element_size(out.dtype));
    auto* bytes = static_cast<char*>(out.data);
    for (int64_t c = 0; c < out.shape[0]; ++c) {
      for (int64_t y = top; y < bottom; ++y) {
        const int64_t at = (c * out.shape[1] + y) * out.shape[2] + left;
        std::memset(bytes + at * unit, 0, static_cast<size_t>((right - left) * unit));
      }
    }
  }

  std::pair<int64_t, int64_t> square(hob::Random& draw, int64_t extent) const {
    const auto centre = static_cast<int64_t>(draw.below(static_cast<uint64_t>(extent)));
    const int64_t begin = centre - config.size / 2;
    return {std::max<int64_t>(0, begin), std::min(extent, begin + config.size)};
  }
};

}  // namespace

HOB_PLUGIN("org.example.@NAME@", "0.1.0",
           hob::add<@CLASS@>("@NAME@", "Sets a random square of the image to zero"))
