#pragma once

#include <ATen/ops/linear.h>

#include <hob/native/layer.h>

namespace hob::native {

struct LinearOperation {
  at::Tensor operator()(const at::Tensor& input, const at::Tensor& weight,
                        const OptionalTensor& bias) const {
    return at::linear(input, weight, bias);
  }
};

// y = x W^T + b: (..., in) -> (..., out), with name.weight (out, in) and name.bias (out).
class Linear : public Layer<LinearOperation> {
 public:
  struct Options {
    bool bias = true;
    hob_role role = HOB_ROLE_WEIGHT;  // HOB_ROLE_HEAD for a model's last layer
    hob_param* tied = nullptr;        // a weight (out, in) to share, such as an embedding's
    Init init = init::kaiming_uniform();
    Init bias_init = nullptr;  // uniform in 1 / sqrt(in), as torch.nn has it
  };

  Linear(const Scope& scope, int64_t in, int64_t out) : Linear(scope, in, out, Options()) {}
  Linear(const Scope& scope, int64_t in, int64_t out, const Options& options)
      : Layer{scope,
              HOB_SOCKET_LINEAR,
              make_weight(scope, in, out, options),
              make_bias(scope, in, out, options),
              {}} {}

 private:
  static hob_param* make_weight(const Scope& scope, int64_t in, int64_t out, const Options& o) {
    if (!o.tied) return scope.parameter("weight", make_value({out, in}, o.init), o.role);
    scope.alias("weight", o.tied);
    return o.tied;
  }
  static hob_param* make_bias(const Scope& scope, int64_t in, int64_t out, const Options& o) {
    if (!o.bias) return nullptr;
    const Init usual = init::uniform(1.0 / std::sqrt(static_cast<double>(in)));
    const Init& init = o.bias_init ? o.bias_init : usual;
    return scope.parameter("bias", make_value({out}, init), HOB_ROLE_BIAS);
  }
};

}  // namespace hob::native
