#include "data/source.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <memory>
#include <new>
#include <string_view>
#include <utility>

#include "base/error.h"
#include "base/text.h"

namespace hob::data {
namespace {

constexpr std::uint32_t kMaxFields = 16;
// Beyond what a dataset can be; positions of 64 bits count 2^16 epochs of it at least.
constexpr std::uint64_t kMaxSize = std::uint64_t{1} << 48;

std::int64_t label_at(const hob_view& view, std::uint64_t i) {
  switch (view.dtype) {
    case HOB_UINT8:
      return static_cast<const std::uint8_t*>(view.data)[i];
    case HOB_INT32:
      return static_cast<const std::int32_t*>(view.data)[i];
    default:
      return static_cast<const std::int64_t*>(view.data)[i];
  }
}

}  // namespace

Source::Source(DatasetInstance dataset, std::vector<TransformInstance> transforms,
               TranslateError translate)
    : dataset_(std::move(dataset)),
      transforms_(std::move(transforms)),
      translate_(std::move(translate)) {
  plan_dataset();
  for (const TransformInstance& transform : transforms_) plan_transform(transform);
  for (const hob_field& field : fields()) {
    if (field.rank == 8) {
      throw Error(Fault::kUsage,
                  name() + ": field " + quote(field.name) +
                      " ends with 8 dimensions; a batch adds one, and 8 is the most");
    }
  }
}

// What a plugin rejects while a run is composed is the recipe's fault, or its data's.
void Source::check_load(hob_error* error, const std::string& by) const {
  if (error == nullptr) return;
  const PluginError found = translate_(error);
  const bool rejected = found.code == HOB_ERROR_INVALID || found.code == HOB_ERROR_DATA ||
                        found.code == HOB_ERROR_UNSUPPORTED;
  throw Error(rejected ? Fault::kUsage : Fault::kRun, by + ": " + found.text);
}

void Source::plan_dataset() {
  check_load(dataset_.table->size(dataset_.self, &size_), name());
  if (size_ == 0) {
    throw Error(Fault::kUsage,
                name() + ": the dataset has 0 samples, at least 1 is needed; check its path");
  }
  if (size_ > kMaxSize) {
    throw Error(Fault::kPlugin, name() + ": the dataset says it has " + std::to_string(size_) +
                                    " samples; at most 2^48 are possible");
  }
  std::array<hob_field, kMaxFields> fields{};
  std::uint32_t count = 0;
  check_load(dataset_.table->fields(dataset_.self, fields.data(), kMaxFields, &count), name());
  if (count > kMaxFields) {
    throw Error(Fault::kPlugin, name() + ": a sample has " + std::to_string(count) +
                                    " fields; at most 16 are possible");
  }
  std::vector<hob_field> stage(fields.begin(), fields.begin() + count);
  check_fields(stage, name());
  layout(stage, 1, name());
  // The names are copied: transforms have yet to say them again, and batches carry them.
  for (const hob_field& field : stage) names_.emplace_back(field.name);
  for (std::size_t i = 0; i < stage.size(); ++i) stage[i].name = names_[i].c_str();
  stages_.push_back(std::move(stage));
}

void Source::plan_transform(const TransformInstance& transform) {
  const std::vector<hob_field>& in = stages_.back();
  std::vector<hob_field> out(in.size());
  check_load(transform.table->plan(transform.self, in.data(), static_cast<std::uint32_t>(in.size()),
                                   out.data()),
             transform.name);
  check_fields(out, transform.name);
  layout(out, 1, transform.name);
  for (std::size_t i = 0; i < out.size(); ++i) {
    if (names_[i] != out[i].name) {
      throw Error(Fault::kPlugin, transform.name + ": field " + quote(names_[i]) + " became " +
                                      quote(out[i].name) +
                                      "; a transform must keep names and their order");
    }
    out[i].name = names_[i].c_str();
  }
  stages_.push_back(std::move(out));
}

// A stage is read while the next one is written, and not needed after: two areas in turn.
Source::Scratch Source::make_scratch() const {
  Scratch scratch;
  const std::size_t count = stages_.size() - 1;
  std::array<std::uint64_t, 2> area_bytes{};
  for (std::size_t s = 0; s < count; ++s) {
    area_bytes[s % 2] = std::max(area_bytes[s % 2], layout(stages_[s], 1, name()).back());
  }
  const std::uint64_t bytes = area_bytes[0] + area_bytes[1] + kAlignment;
  try {
    scratch.memory_.resize(bytes);
  } catch (const std::bad_alloc&) {
    throw Error(Fault::kRun, name() + ": no memory for " +
                                 format_size_rounded(static_cast<std::int64_t>(bytes)) +
                                 " between the transforms of one thread; lower loader.threads");
  }
  void* memory = scratch.memory_.data();
  std::size_t space = scratch.memory_.size();
  auto* aligned = static_cast<std::byte*>(std::align(kAlignment, 1, memory, space));
  for (std::size_t s = 0; s < count; ++s) {
    const std::vector<std::uint64_t> offsets = layout(stages_[s], 1, name());
    std::byte* area = aligned + (s % 2) * area_bytes[0];
    std::vector<hob_view>& views = scratch.stages_.emplace_back();
    for (std::size_t i = 0; i < stages_[s].size(); ++i) {
      views.push_back(sample_view(stages_[s][i], area + offsets[i]));
    }
  }
  return scratch;
}

std::optional<Source::Failure> Source::read(std::uint64_t index, std::uint64_t epoch,
                                            std::span<const hob_view> out, Scratch& scratch) const {
  const auto views_of = [&](std::size_t stage) {
    return stage < transforms_.size() ? scratch.stages_[stage].data() : out.data();
  };
  const auto count = static_cast<std::uint32_t>(out.size());
  if (hob_error* error = dataset_.table->read(dataset_.self, index, views_of(0), count)) {
    return failure(index, "", error);
  }
  for (std::size_t t = 0; t < transforms_.size(); ++t) {
    const TransformInstance& transform = transforms_[t];
    const hob_sample sample{transform.seed, epoch, index};
    hob_error* error =
        transform.table->apply(transform.self, &sample, views_of(t), views_of(t + 1), count);
    if (error != nullptr) return failure(index, transform.name + ": ", error);
  }
  return check_labels(index, out);
}

Source::Failure Source::failure(std::uint64_t index, const std::string& by,
                                hob_error* error) const {
  const PluginError found = translate_(error);
  return {found.code == HOB_ERROR_DATA,
          name() + ": sample " + std::to_string(index) + ": " + by + found.text};
}

std::optional<Source::Failure> Source::check_labels(std::uint64_t index,
                                                    std::span<const hob_view> out) const {
  const std::span<const hob_field> all = fields();
  for (std::size_t f = 0; f < all.size(); ++f) {
    const hob_field& field = all[f];
    if (field.classes == 0) continue;
    const std::uint64_t count = field_bytes(field) / dtype_size(field.dtype);
    for (std::uint64_t i = 0; i < count; ++i) {
      const std::int64_t label = label_at(out[f], i);
      if (label >= 0 && label < field.classes) continue;
      return Failure{false, name() + ": sample " + std::to_string(index) + " has label " +
                                std::to_string(label) + " in field " + quote(field.name) +
                                "; there are " + std::to_string(field.classes) +
                                " classes, labelled 0 to " + std::to_string(field.classes - 1) +
                                ": correct the label or the number of classes"};
    }
  }
  return std::nullopt;
}

}  // namespace hob::data
