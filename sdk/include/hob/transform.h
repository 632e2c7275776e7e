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

}  // namespace hob
