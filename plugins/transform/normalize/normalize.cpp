#include <hob/transform.h>

// y = (x - mean) / std for each channel, the first dimension; float32. Bytes are taken as x / 255,
// so mean and std are in units of 0 .. 1, as torchvision's ToTensor and Normalize have them.

namespace {

struct NormalizeConfig {
  std::vector<double> mean, std;
  std::string field;
  HOB_SCHEMA(NormalizeConfig, HOB_PARAM(mean, hob::required, "of each channel, or one for all"),
             HOB_PARAM(std, hob::required, hob::gt(0), "of each channel, or one for all"),
             HOB_PARAM(field, "image", "field of the sample that is changed"))
};

class Normalize : public hob::FieldTransform<NormalizeConfig> {
  std::string_view field_name() const override { return config.field; }

  void plan_field(hob::Field& field) override {
    if (field.dtype != HOB_UINT8 && field.dtype != HOB_FLOAT32) {
      throw hob::Error("field '" + config.field + "' is neither uint8 nor float32",
                       HOB_ERROR_INVALID);
    }
    channels_ = field.rank ? static_cast<size_t>(field.shape[0]) : 1;
    check_length("mean", config.mean.size(), field);
    check_length("std", config.std.size(), field);
    if (field.dtype == HOB_UINT8) {
      table_.resize(channels_ * 256);
      for (size_t i = 0; i < table_.size(); ++i) {
        table_[i] = normalized(static_cast<float>(i % 256) / 255.0f, i / 256);
      }
    }
    field.dtype = HOB_FLOAT32;
  }

  void apply_field(const hob_sample&, const hob::View& in, const hob::View& out) const override {
    auto* y = static_cast<float*>(out.data);
    const size_t pixels = hob::bytes(out) / sizeof(float) / channels_;
    for (size_t c = 0; c < channels_; ++c, y += pixels) {
      if (in.dtype == HOB_UINT8) {
        const auto* x = static_cast<const uint8_t*>(in.data) + c * pixels;
        const float* table = table_.data() + c * 256;
        for (size_t i = 0; i < pixels; ++i) y[i] = table[x[i]];
      } else {
        const auto* x = static_cast<const float*>(in.data) + c * pixels;
        for (size_t i = 0; i < pixels; ++i) y[i] = normalized(x[i], c);
      }
    }
  }

  float normalized(float x, size_t channel) const {
    const auto of_channel = [&](const std::vector<double>& list) {
      return static_cast<float>(list[list.size() == 1 ? 0 : channel]);
    };
    return (x - of_channel(config.mean)) / of_channel(config.std);
  }

  void check_length(const char* name, size_t count, const hob::Field& field) const {
    if (count == 1 || count == channels_) return;
    throw hob::Error(std::string(name) + " has " + std::to_string(count) + " numbers, and field '" +
                         config.field + "' of shape " + hob::shape_text(field) + " has " +
                         std::to_string(channels_) + " channels: give one for each, or one for all",
                     HOB_ERROR_INVALID);
  }

  size_t channels_ = 1;
  std::vector<float> table_;  // (channels, 256): what becomes of each byte
};

}  // namespace

HOB_PLUGIN("org.hob.normalize", "0.1.0",
           hob::add<Normalize>("normalize", "Subtracts the mean and divides by the deviation"))
