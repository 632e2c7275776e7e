#pragma once

#include <hob/memory.h>
#include <hob/native/error.h>
#include <hob/native/scope.h>

#include <array>
#include <utility>

namespace hob::native {

// A block of a model that a memory strategy may run otherwise:
//   x = segment([this](const at::Tensor& x) { return block(x); }, x);
// What the body uses and needs a gradient for is an argument or a parameter of the model: the body
// may run a second time in backward. It is copied, and what it refers to lives as long as the
// model.
class Segment {
 public:
  explicit Segment(const Scope& scope) : env_(scope.env()) {
    check(segments_table().add(env_, scope.name().c_str(), &segment_));
  }

  template <class Body, class... Inputs>
  at::Tensor operator()(Body body, const Inputs&... inputs) const {
    if (segment_->mode == HOB_SEGMENT_KEEP) [[likely]]
      return body(inputs...);
    return run(std::move(body), std::array{borrow(inputs)...});
  }

 private:
  template <class Body, size_t N>
  at::Tensor run(Body body, const std::array<hob_tensor*, N>& inputs) const {
    const hob_closure closure{
        .struct_size = sizeof(hob_closure),
        .reserved = 0,
        .call =
            [](void* user, hob_tensor* const* in, uint32_t, hob_tensor** out, uint32_t) {
              return guard([&] {
                *out = call(*static_cast<Body*>(user), in, std::make_index_sequence<N>());
              });
            },
        .user = new Body(std::move(body)),  // the host drops it
        .drop = [](void* user) { delete static_cast<Body*>(user); },
    };
    hob_tensor* out = nullptr;
    check(segments_table().run(env_, segment_, &closure, inputs.data(), N, &out, 1));
    return take(out);
  }

  template <class Body, size_t... I>
  static hob_tensor* call(Body& body, hob_tensor* const* in, std::index_sequence<I...>) {
    return give(body(tensor_of(in[I])...));
  }

  hob_env* env_;
  hob_segment* segment_ = nullptr;
};

}  // namespace hob::native
