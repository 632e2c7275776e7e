#pragma once

#include <ATen/ops/conv2d.h>

#include <hob/native/layer.h>

namespace hob::native {

struct Conv2dOperation {
  hob_conv geometry;

  at::Tensor operator()(const at::Tensor& input, const at::Tensor& weight,
                        const OptionalTensor& bias) const {
    const hob_conv& g = geometry;
    return at::conv2d(input, weight, bias, {g.stride, 2}, {g.padding, 2}, {g.dilation, 2},
                      g.groups);
  }
};

// A convolution (B, in, H, W) -> (B, out, H', W') with a square kernel, name.weight
// (out, in / groups, k, k) and name.bias (out).
class Conv2d : public Layer<Conv2dOperation> {
 public:
  struct Options {
    int64_t stride = 1;
    int64_t padding = 0;
    int64_t dilation = 1;
    int64_t groups = 1;
    bool bias = true;
    Init init = init::kaiming_uniform();
    // How the weight lies in memory, whatever its shape says: ChannelsLast is the faster one where
    // the inputs lie so too.
    at::MemoryFormat format = at::MemoryFormat::Contiguous;
  };

  Conv2d(const Scope& scope, int64_t in, int64_t out, int64_t kernel)
      : Conv2d(scope, in, out, kernel, Options()) {}
  Conv2d(const Scope& scope, int64_t in, int64_t out, int64_t kernel, const Options& o)
      : Conv2d(scope, make_value({out, in / o.groups, kernel, kernel}, o.init), o) {}

 private:
  Conv2d(const Scope& scope, const at::Tensor& value, const Options& o)
      : Layer{scope,
              HOB_SOCKET_CONV,
              scope.parameter("weight", value.contiguous(o.format), HOB_ROLE_WEIGHT),
              make_bias(scope, value, o),
              {make_geometry(o)},
              [](const Conv2dOperation& self) -> const void* { return &self.geometry; }} {}

  static hob_param* make_bias(const Scope& scope, const at::Tensor& weight, const Options& o) {
    if (!o.bias) return nullptr;
    const double bound = 1.0 / std::sqrt(static_cast<double>(init::fan_in(weight)));
    const at::Tensor value = make_value({weight.size(0)}, init::uniform(bound));
    return scope.parameter("bias", value, HOB_ROLE_BIAS);
  }
  static hob_conv make_geometry(const Options& o) {
    return {.struct_size = sizeof(hob_conv),
            .dim = 2,
            .stride = {o.stride, o.stride, 1},
            .padding = {o.padding, o.padding, 0},
            .dilation = {o.dilation, o.dilation, 1},
            .groups = o.groups};
  }
};

}  // namespace hob::native
