#pragma once

#include <hob/abi/dataset.h>
#include <hob/plugin.h>

#include <algorithm>
#include <span>
#include <vector>

namespace hob {

using Field = hob_field;
using View = hob_view;

// Describes an array of a sample: field("image", HOB_UINT8, {1, 28, 28}). At most 8 dimensions.
inline Field field(const char* name, int32_t dtype, std::span<const int64_t> shape,
                   int64_t classes = 0) {
  Field result{};
  if (shape.size() > std::size(result.shape)) {
    throw Error("field '" + std::string(name) + "' has " + std::to_string(shape.size()) +
                    " dimensions; at most 8 are possible",
                HOB_ERROR_INVALID);
  }
  result.name = name;
  result.dtype = static_cast<uint32_t>(dtype);
  result.rank = static_cast<uint32_t>(shape.size());
  std::copy(shape.begin(), shape.end(), result.shape);
  result.classes = classes;
  return result;
}

inline Field field(const char* name, int32_t dtype, std::initializer_list<int64_t> shape,
                   int64_t classes = 0) {
  return field(name, dtype, std::span(shape.begin(), shape.size()), classes);
}

inline std::string shape_text(const Field& f) {
  return shape_text(std::span(f.shape, f.rank));
}

inline int64_t numel(const Field& f) {
  int64_t n = 1;
  for (uint32_t i = 0; i < f.rank; ++i) n *= f.shape[i];
  return n;
}

// Base of datasets: samples by index, written into the host's memory.
template <class Config>
class Dataset : public Component<Config> {
 public:
  static constexpr std::string_view kKind = "dataset";
  static constexpr std::string_view kInterface = HOB_DATASET_INTERFACE;

  virtual uint64_t size() const = 0;              // samples [load]
  virtual std::vector<Field> fields() const = 0;  // what a sample consists of [load]
  // Writes sample `index`, 0 <= index < size(), field by field; the views are contiguous. A sample
  // that cannot be read throws Error(..., HOB_ERROR_DATA) that names its file. [worker]
  virtual void read(uint64_t index, std::span<const View> out) const = 0;

  template <class T>
  static hob_dataset make_table() {
    return {detail::component_table<T>(sizeof(hob_dataset)),
            [](void* self, uint64_t* out) {
              return detail::guard([&] { *out = static_cast<const T*>(self)->size(); });
            },
            [](void* self, hob_field* out, uint32_t capacity, uint32_t* count) {
              return detail::guard([&] {
                detail::fill(static_cast<const T*>(self)->fields(), out, capacity, count, "fields");
              });
            },
            [](void* self, uint64_t index, const hob_view* out, uint32_t count) {
              return detail::guard(
                  [&] { static_cast<const T*>(self)->read(index, std::span(out, count)); });
            }};
  }
};

}  // namespace hob
