#include "unit/plugins/torch/plugin_run.h"

#include <ATen/ops/conv2d.h>
#include <ATen/ops/linear.h>

namespace hob::test {
namespace {

hob_error* layer(const hob_link*, const hob_layer_call* call, hob_tensor** out) {
  return host::guard([&] {
    const at::Tensor& x = host::tensor_of(call->input);
    const at::Tensor& w = host::tensor_of(call->weight);
    if (call->kind == HOB_SOCKET_LINEAR) {
      *out = host::give(at::linear(x, w));
    } else {
      const auto& g = *static_cast<const hob_conv*>(call->attributes);
      *out = host::give(
          at::conv2d(x, w, {}, {g.stride, 2}, {g.padding, 2}, {g.dilation, 2}, g.groups));
    }
  });
}

}  // namespace

hob_socket* PluginRun::add_socket(const std::string& name, uint32_t kind, hob_param* weight,
                                  const hob_conv* geometry) {
  hob_socket* out = nullptr;
  ok(sockets().add(&model, name.c_str(), kind, weight, nullptr, geometry, layer, nullptr, &out));
  return out;
}

at::Tensor PluginRun::output(const hob_socket* socket, const at::Tensor& x) const {
  const hob_layer_call call = {sizeof call,           socket->kind, borrow(x),
                               socket->weight->value, nullptr,      socket->attributes};
  hob_tensor* out = nullptr;
  ok(socket->head ? socket->head->call(socket->head, &call, &out) : layer(nullptr, &call, &out));
  return take(out);
}

}  // namespace hob::test
