#include <hob/transform.h>

// A square window at a random place of the image, which is first surrounded by zeros:
// the augmentation of He et al., "Deep Residual Learning for Image Recognition" (2015), 4.2.

namespace {

struct RandomCropConfig {
  int64_t size, padding;
  std::string field;
  HOB_SCHEMA(RandomCropConfig,
             HOB_PARAM(size, hob::required, hob::ge(1), hob::unit("pixels"), "side of the window"),
             HOB_PARAM(padding, 0, hob::in(0, 1 << 20), hob::unit("pixels"),
                       "zeros on each of the four sides"),
             HOB_PARAM(field, "image", "field of the sample that is changed"))
};

class RandomCrop : public hob::FieldTransform<RandomCropConfig> {
  std::string_view field_name() const override { return config.field; }

  void plan_field(hob::Field& field) override {
    if (field.rank != 3 || config.size > field.shape[1] + 2 * config.padding ||
        config.size > field.shape[2] + 2 * config.padding) {
      throw hob::Error("no window of " + std::to_string(config.size) + " x " +
                           std::to_string(config.size) + " fits in field '" + config.field +
                           "' of shape " + hob::shape_text(field) + " with a padding of " +
                           std::to_string(config.padding) +
                           ": expected (channels, height, width) that is at least as large",
                       HOB_ERROR_INVALID);
    }
    field.shape[1] = config.size;
    field.shape[2] = config.size;
  }

  void apply_field(const hob_sample& sample, const hob::View& in,
                   const hob::View& out) const override {
    hob::Random draw = random(sample);
    const int64_t top = place(draw, in.shape[1], out.shape[1]);
    const int64_t left = place(draw, in.shape[2], out.shape[2]);
    // The columns of the window that lie on the image.
    const int64_t first = std::clamp<int64_t>(-left, 0, out.shape[2]);
    const int64_t last = std::clamp<int64_t>(in.shape[2] - left, first, out.shape[2]);

    const auto unit = static_cast<int64_t>(hob::element_size(in.dtype));
    const auto* from = static_cast<const char*>(in.data);
    auto* to = static_cast<char*>(out.data);
    std::memset(to, 0, hob::bytes(out));
    for (int64_t c = 0; c < out.shape[0]; ++c) {
      for (int64_t y = 0; y < out.shape[1]; ++y, to += out.shape[2] * unit) {
        const int64_t row = top + y;
        if (row < 0 || row >= in.shape[1]) continue;
        const int64_t at = (c * in.shape[1] + row) * in.shape[2] + left + first;
        std::memcpy(to + first * unit, from + at * unit,
                    static_cast<size_t>((last - first) * unit));
      }
    }
  }

  // Where the window begins, in the image's own coordinates: negative within the padding.
  int64_t place(hob::Random& draw, int64_t extent, int64_t window) const {
    const int64_t places = extent + 2 * config.padding - window + 1;
    return static_cast<int64_t>(draw.below(static_cast<uint64_t>(places))) - config.padding;
  }
};

}  // namespace

HOB_PLUGIN("org.hob.random_crop", "0.1.0",
           hob::add<RandomCrop>("random_crop", "A random window of the padded image"))
