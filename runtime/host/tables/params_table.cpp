#include "host/tables/run_scope.h"
#include "host/tables/tables.h"

// hob.params/1: the parameters and buffers of the run's model.

namespace hob::host {
namespace {

Param& param_of(hob_param* param) {
  return static_cast<Param&>(required(param, "the parameter"));
}

hob_error* add(hob_env* env, const char* name, hob_tensor* value, uint32_t role, uint32_t flags,
               hob_param** out) noexcept {
  return guard([&] {
    const at::Tensor& tensor = tensor_of(&required(value, "the parameter's value"));
    *out = &world_of(env).add_param(&required(name, "the parameter's name"), tensor, role, flags,
                                    env->instance);
  });
}

hob_error* alias(hob_env* env, hob_param* param, const char* second_name) noexcept {
  return guard(
      [&] { world_of(env).add_alias(param_of(param), &required(second_name, "the second name")); });
}

hob_error* set_trainable(hob_param* param, int32_t on) noexcept {
  return guard([&] { param_of(param).set_trainable(on != 0); });
}

hob_error* assign(hob_param* param, hob_tensor* value) noexcept {
  return guard([&] { param_of(param).assign(tensor_of(&required(value, "the new value"))); });
}

hob_error* grad(hob_param* param, hob_tensor** out) noexcept {
  return guard([&] {
    const at::Tensor& gradient = param_of(param).tensor.grad();
    *out = gradient.defined() ? give(gradient) : nullptr;
  });
}

uint32_t find(hob_env* env, const char* pattern, hob_param** out, uint32_t capacity) noexcept {
  return write_found([&] { return world_of(env).match_params(pattern); }, out, capacity);
}

}  // namespace

const hob_params kParamsTable = {
    .struct_size = sizeof(hob_params),
    .reserved = 0,
    .add = add,
    .alias = alias,
    .set_trainable = set_trainable,
    .assign = assign,
    .grad = grad,
    .find = find,
};

}  // namespace hob::host
