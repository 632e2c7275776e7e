#pragma once

#include <hob/abi/transform.h>
#include <hob/dataset.h>
#include <hob/random.h>

namespace hob {

// Base of transforms: change one sample, the same way for the same (seed, epoch, index).
template <class Config>
class Transform : public Component<Config> {
 public:
  static constexpr std::string_view kKind = "transform";
  static constexpr std::string_view kInterface = HOB_TRANSFORM_INTERFACE;

  // The fields that apply() writes: as many as came in, with the same names. Throws where the
  // transform cannot work on them. [load]
  virtual std::vector<Field> plan(std::span<const Field> in) = 0;
  // The views are contiguous, in and out never overlap. [worker]
  virtual void apply(const hob_sample& sample, std::span<const View> in,
                     std::span<const View> out) const = 0;

  template <class T>
  static hob_transform make_table() {
    return {detail::component_table<T>(sizeof(hob_transform)),
            [](void* self, const hob_field* in, uint32_t count, hob_field* out) {
              return detail::guard([&] {
                const auto fields = static_cast<T*>(self)->plan(std::span(in, count));
                uint32_t n = 0;
                detail::fill(fields, out, count, &n, "fields");
                if (n != count) throw Error("a transform must keep the number of fields");
              });
            },
            [](void* self, const hob_sample* sample, const hob_view* in, const hob_view* out,
               uint32_t count) {
              return detail::guard([&] {
                static_cast<const T*>(self)->apply(*sample, std::span(in, count),
                                                   std::span(out, count));
              });
            }};
  }

 protected:
  // The random numbers of this instance for one sample.
  static Random random(const hob_sample& s) { return Random(s.seed, s.epoch, s.index); }
};

inline size_t element_size(uint32_t dtype) {
  switch (dtype) {
    case HOB_INT16:
    case HOB_FLOAT16:
    case HOB_BFLOAT16:
      return 2;
    case HOB_INT32:
    case HOB_FLOAT32:
      return 4;
    case HOB_INT64:
    case HOB_FLOAT64:
      return 8;
    default:
      return 1;
  }
}
// Bytes of a contiguous view.
inline size_t bytes(const View& view) {
  size_t n = element_size(view.dtype);
  for (uint32_t i = 0; i < view.rank; ++i) n *= static_cast<size_t>(view.shape[i]);
  return n;
}
inline void copy(const View& from, const View& to) {
  std::memcpy(to.data, from.data, bytes(from));
}

// The position of the field of that name.
inline size_t position(std::span<const Field> fields, std::string_view name) {
  std::string names;
  for (size_t i = 0; i < fields.size(); ++i) {
    if (name == fields[i].name) return i;
    names += std::string(names.empty() ? "" : ", ") + "'" + fields[i].name + "'";
  }
  throw Error("there is no field '" + std::string(name) + "' in the samples; there are: " + names,
              HOB_ERROR_INVALID);
}

// Base of transforms that change one field and pass the others on.
template <class Config>
class FieldTransform : public Transform<Config> {
 public:
  std::vector<Field> plan(std::span<const Field> in) final {
    position_ = position(in, field_name());
    std::vector<Field> out(in.begin(), in.end());
    plan_field(out[position_]);
    return out;
  }
  void apply(const hob_sample& sample, std::span<const View> in,
             std::span<const View> out) const final {
    for (size_t i = 0; i < in.size(); ++i) {
      if (i == position_) {
        apply_field(sample, in[i], out[i]);
      } else {
        copy(in[i], out[i]);
      }
    }
  }

 protected:
  virtual std::string_view field_name() const { return "image"; }
  // Makes of the field that comes in the one that goes out; throws where it cannot be. [load]
  virtual void plan_field(Field& field) = 0;
  virtual void apply_field(const hob_sample& sample, const View& in, const View& out) const = 0;

 private:
  size_t position_ = 0;
};

}  // namespace hob
