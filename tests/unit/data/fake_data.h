#pragma once

#include <hob/abi/objective.h>

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <cstring>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "data/loader.h"
#include "data/source.h"

// Datasets, transforms and objectives behind the C tables, as plugins would offer them.

namespace hob::test {

// An error as a plugin makes it. Those that nobody freed are counted.
struct FakeError {
  std::int32_t code;
  std::string text;
  static inline std::atomic<int> alive = 0;
};
inline hob_error* fake_error(std::int32_t code, std::string text) {
  ++FakeError::alive;
  return reinterpret_cast<hob_error*>(new FakeError{code, std::move(text)});
}
inline data::PluginError take_fake_error(hob_error* handle) {
  const std::unique_ptr<FakeError> error(reinterpret_cast<FakeError*>(handle));
  --FakeError::alive;
  return {error->code, error->text};
}

inline hob_field make_field(const char* name, std::uint32_t dtype, std::vector<std::int64_t> shape,
                            std::int64_t classes = 0) {
  hob_field field{};
  field.name = name;
  field.dtype = dtype;
  field.rank = static_cast<std::uint32_t>(shape.size());
  std::copy(shape.begin(), shape.end(), field.shape);
  field.classes = classes;
  return field;
}

template <class T>
T& value(const hob_view& view) {
  return *static_cast<T*>(view.data);
}

// A dataset whose samples are their ids: the field "id". `on_read` may do otherwise.
struct FakeDataset {
  using Read = std::function<hob_error*(std::uint64_t index, std::span<const hob_view> out)>;

  std::uint64_t samples = 8;
  std::vector<hob_field> fields{make_field("id", HOB_INT64, {})};
  Read on_read = [](std::uint64_t index, std::span<const hob_view> out) -> hob_error* {
    value<std::int64_t>(out[0]) = static_cast<std::int64_t>(index);
    return nullptr;
  };
  // What the table says, where it shall lie.
  std::function<hob_error*(std::uint64_t* out)> on_size;
  std::function<hob_error*(hob_field* out, std::uint32_t* count)> on_fields;

  data::DatasetInstance instance() { return {&kTable, this, "dataset.train (fake)"}; }

 private:
  static FakeDataset& of(void* self) { return *static_cast<FakeDataset*>(self); }
  static hob_error* size(void* self, std::uint64_t* out) {
    if (of(self).on_size) return of(self).on_size(out);
    *out = of(self).samples;
    return nullptr;
  }
  static hob_error* list_fields(void* self, hob_field* out, std::uint32_t, std::uint32_t* count) {
    if (of(self).on_fields) return of(self).on_fields(out, count);
    std::copy(of(self).fields.begin(), of(self).fields.end(), out);
    *count = static_cast<std::uint32_t>(of(self).fields.size());
    return nullptr;
  }
  static hob_error* read(void* self, std::uint64_t index, const hob_view* out,
                         std::uint32_t count) {
    return of(self).on_read(index, std::span(out, count));
  }
  static inline const hob_dataset kTable{{}, size, list_fields, read};
};

struct FakeTransform {
  using Views = std::span<const hob_view>;

  std::function<hob_error*(std::span<const hob_field> in, hob_field* out)> on_plan =
      [](std::span<const hob_field> in, hob_field* out) -> hob_error* {
    std::copy(in.begin(), in.end(), out);
    return nullptr;
  };
  std::function<hob_error*(const hob_sample& sample, Views in, Views out)> on_apply;

  data::TransformInstance instance(std::uint64_t seed = 0, std::string name = "transform (fake)") {
    return {&kTable, this, seed, std::move(name)};
  }

 private:
  static hob_error* plan(void* self, const hob_field* in, std::uint32_t count, hob_field* out) {
    return static_cast<FakeTransform*>(self)->on_plan(std::span(in, count), out);
  }
  static hob_error* apply(void* self, const hob_sample* sample, const hob_view* in,
                          const hob_view* out, std::uint32_t count) {
    return static_cast<FakeTransform*>(self)->on_apply(*sample, std::span(in, count),
                                                       std::span(out, count));
  }
  static inline const hob_transform kTable{{}, plan, apply};
};

struct FakeObjective {
  std::function<hob_error*(std::span<const hob_named_view> batch, double* out)> on_weights;

  data::ObjectiveInstance instance(std::vector<std::string> terms = {"loss"}) {
    return {&kTable, this, "objective (fake)", std::move(terms)};
  }

 private:
  static hob_error* weights(void* self, const hob_named_view* batch, std::uint32_t count,
                            double* out) {
    return static_cast<FakeObjective*>(self)->on_weights(std::span(batch, count), out);
  }
  static inline const hob_objective kTable{{}, nullptr, weights, nullptr};
};

// Mixes keys to a number that a transform may draw from.
inline std::uint64_t draw(const hob_sample& s) {
  std::uint64_t z = s.seed * 0x9e3779b97f4a7c15 ^ s.epoch * 0xbf58476d1ce4e5b9 ^
                    (s.index + 1) * 0x94d049bb133111eb;
  z = (z ^ (z >> 31)) * 0xbf58476d1ce4e5b9;
  return z ^ (z >> 29);
}

// The elements of a micro-batch's field, all samples one after the other.
template <class T>
std::vector<T> elements(const data::MicroBatch& micro, std::size_t field = 0) {
  const hob_view& view = micro.fields[field].view;
  std::size_t count = 1;
  for (std::uint32_t i = 0; i < view.rank; ++i) count *= static_cast<std::size_t>(view.shape[i]);
  const T* begin = static_cast<const T*>(view.data);
  return {begin, begin + count};
}

// The elements of a window's field, over its micro-batches.
template <class T = std::int64_t>
std::vector<T> elements(const data::Window& window, std::size_t field = 0) {
  std::vector<T> all;
  for (const data::MicroBatch& micro : window.micro_batches()) {
    const std::vector<T> part = elements<T>(micro, field);
    all.insert(all.end(), part.begin(), part.end());
  }
  return all;
}

}  // namespace hob::test
