#include <hob/transform.h>

// Mirrors the image, left for right, with the given probability.

namespace {

struct FlipConfig {
  double p;
  std::string field;
  HOB_SCHEMA(FlipConfig, HOB_PARAM(p, 0.5, hob::in(0, 1), "probability"),
             HOB_PARAM(field, "image",
                       "field of the sample that is changed; its last dimension is "
                       "the width"))
};

class Flip : public hob::FieldTransform<FlipConfig> {
  std::string_view field_name() const override { return config.field; }

  void plan_field(hob::Field& field) override {
    if (field.rank < 2) {
      throw hob::Error("field '" + config.field + "' of shape " + hob::shape_text(field) +
                           " is no image: expected at least a height and a width",
                       HOB_ERROR_INVALID);
    }
  }

  void apply_field(const hob_sample& sample, const hob::View& in,
                   const hob::View& out) const override {
    if (random(sample).uniform() >= config.p) return hob::copy(in, out);
    switch (hob::element_size(in.dtype)) {
      case 1:
        return mirror<uint8_t>(in, out);
      case 2:
        return mirror<uint16_t>(in, out);
      case 4:
        return mirror<uint32_t>(in, out);
      default:
        return mirror<uint64_t>(in, out);
    }
  }

  template <class Element>
  static void mirror(const hob::View& in, const hob::View& out) {
    const auto width = static_cast<size_t>(in.shape[in.rank - 1]);
    const auto* from = static_cast<const Element*>(in.data);
    auto* to = static_cast<Element*>(out.data);
    const size_t count = hob::bytes(in) / sizeof(Element);
    for (size_t row = 0; row < count; row += width) {
      std::reverse_copy(from + row, from + row + width, to + row);
    }
  }
};

}  // namespace

HOB_PLUGIN("org.hob.flip", "0.1.0", hob::add<Flip>("flip", "Mirrors images at random"))
