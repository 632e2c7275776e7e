#include "base/text.h"
#include "host/tables/run_scope.h"
#include "host/tables/tables.h"

// hob.sockets/1: the interception points of layers.

namespace hob::host {
namespace {

void check_layer(std::string_view name, const hob_socket& layer) {
  const auto fail = [&](const std::string& what) { refuse("socket " + quote(name) + ": " + what); };
  if (layer.kind < HOB_SOCKET_LINEAR || layer.kind > HOB_SOCKET_NORM) {
    fail("there is no kind " + std::to_string(layer.kind) + " of socket");
  }
  if (layer.kind != HOB_SOCKET_CONV) return;
  const auto* conv = static_cast<const hob_conv*>(layer.attributes);
  if (!conv) fail("a convolution needs its geometry (hob_conv) as attributes");
  if (conv->struct_size < sizeof(hob_conv)) {
    fail("its hob_conv is of " + std::to_string(conv->struct_size) + " bytes, at least " +
         std::to_string(sizeof(hob_conv)) + " are needed");
  }
  if (conv->dim < 1 || conv->dim > 3) {
    fail("a convolution over " + std::to_string(conv->dim) + " dimensions; 1 to 3 are possible");
  }
}

hob_error* add(hob_env* env, const char* name, uint32_t kind, hob_param* weight, hob_param* bias,
               const void* attributes, Link::Function base, void* user, hob_socket** out) noexcept {
  return guard([&] {
    const hob_socket layer{.struct_size = sizeof(hob_socket),
                           .kind = kind,
                           .head = nullptr,
                           .name = nullptr,
                           .weight = weight,
                           .bias = bias,
                           .attributes = attributes};
    check_layer(&required(name, "the socket's name"), layer);
    required(base, "the layer's own function");
    *out = &world_of(env).add_socket(env, name, layer, base, user);
  });
}

uint32_t find(hob_env* env, const char* pattern, uint32_t kind, hob_socket** out,
              uint32_t capacity) noexcept {
  return write_found([&] { return world_of(env).match_sockets(pattern, kind); }, out, capacity);
}

Socket& socket_of(const hob_env* env, hob_socket* socket) {
  world_of(env);
  return static_cast<Socket&>(required(socket, "the socket"));
}

hob_error* install(hob_env* env, hob_socket* socket, int32_t role, Link::Function call,
                   void* user) noexcept {
  return guard([&] {
    required(call, "the link's function");
    socket_of(env, socket).install(env, role, call, user);
  });
}

hob_error* remove(hob_env* env, hob_socket* socket) noexcept {
  return guard([&] { socket_of(env, socket).remove(env); });
}

}  // namespace

const hob_sockets kSocketsTable = {
    .struct_size = sizeof(hob_sockets),
    .reserved = 0,
    .add = add,
    .find = find,
    .install = install,
    .remove = remove,
};

}  // namespace hob::host
