#pragma once

#include <hob/abi/autograd.h>
#include <hob/abi/params.h>
#include <hob/tensor.h>

#include <vector>

// The parameters and buffers of the run's model.

namespace hob {

HOB_HOST_TABLE(params_table, hob_params, "hob.params/1")
HOB_HOST_TABLE(autograd_table, hob_autograd, "hob.autograd/1")

// A cell that holds a parameter; its address is stable, its tensor is read at every use.
using Param = hob_param;

// Cells by pattern: a glob on full names, or "role:norm". [any]
inline std::vector<Param*> find_params(hob_env* env, const char* pattern = "*") {
  std::vector<Param*> result(params_table().find(env, pattern, nullptr, 0));
  params_table().find(env, pattern, result.data(), static_cast<uint32_t>(result.size()));
  return result;
}

// Adds a parameter or buffer. [load]
inline Param* add_param(hob_env* env, const std::string& name, TensorRef value, uint32_t role,
                        uint32_t flags) {
  Param* out = nullptr;
  check(params_table().add(env, name.c_str(), value.handle(), role, flags, &out));
  return out;
}

inline void set_trainable(Param* param, bool on) {
  check(params_table().set_trainable(param, on ? 1 : 0));
}

// The cells' tensors as a list for operators.
inline TensorList values(std::span<Param* const> params) {
  std::vector<TensorRef> tensors;
  tensors.reserve(params.size());
  for (const Param* p : params) tensors.emplace_back(p->value);
  return TensorList(tensors);
}

// No gradients are recorded while it lives.
class NoGrad {
 public:
  NoGrad() : before_(autograd_table().grad_mode(0)) {}
  ~NoGrad() { autograd_table().grad_mode(before_); }
  NoGrad(const NoGrad&) = delete;
  NoGrad& operator=(const NoGrad&) = delete;

 private:
  int32_t before_;
};

}  // namespace hob
