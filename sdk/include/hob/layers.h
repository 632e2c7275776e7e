#pragma once

#include <hob/ops.h>
#include <hob/sockets.h>

#include <cmath>
#include <string>

// Layers of stable-tier models, as sockets: strategies act on them as on those of the native tier.

namespace hob {

// y = x W^T + b: (..., in) -> (..., out), with name.weight (out, in) and name.bias (out), both
// uniform in 1 / sqrt(in) at first.
class Linear {
 public:
  Linear(hob_env* env, const std::string& name, int64_t in, int64_t out, bool with_bias = true,
         hob_role role = HOB_ROLE_WEIGHT) {
    const double bound = 1.0 / std::sqrt(static_cast<double>(in));
    const auto add = [&](const char* leaf, Ints sizes, hob_role its_role) {
      const Tensor value = empty(sizes, HOB_FLOAT32);
      uniform_(value, -bound, bound);
      return add_param(env, name + leaf, value, its_role, HOB_PARAM_TRAINABLE);
    };
    Param* weight = add(".weight", {out, in}, role);
    Param* bias = with_bias ? add(".bias", {out}, HOB_ROLE_BIAS) : nullptr;
    check(sockets_table().add(env, name.c_str(), HOB_SOCKET_LINEAR, weight, bias, nullptr, &base,
                              nullptr, &socket_));
  }

  Tensor operator()(TensorRef input) const {
    const hob_layer_call call{
        .struct_size = sizeof(hob_layer_call),
        .kind = HOB_SOCKET_LINEAR,
        .input = input.handle(),
        .weight = socket_->weight->value,
        .bias = socket_->bias ? socket_->bias->value : nullptr,
        .attributes = nullptr,
    };
    hob_tensor* out = nullptr;
    hob_error* error = socket_->head ? socket_->head->call(socket_->head, &call, &out)
                                     : base(nullptr, &call, &out);
    if (error) {
      core().error_where(error, ("layer '" + std::string(socket_->name) + "'").c_str());
      throw Error(error);
    }
    return Tensor(out);
  }

 private:
  static hob_error* base(const hob_link*, const hob_layer_call* call, hob_tensor** out) {
    return detail::guard([&] {
      if (!call->weight) {
        throw Error("the weight is replaced by other parts, and no kernel computes with them");
      }
      *out = linear(call->input, call->weight, call->bias).release();
    });
  }

  hob_socket* socket_ = nullptr;
};

}  // namespace hob
