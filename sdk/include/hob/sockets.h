#pragma once

#include <hob/abi/sockets.h>
#include <hob/params.h>

// Acting on a model's layers from outside. A link is a function
//   Tensor branch(const hob_link& link, const hob_layer_call& call)
// that calls next(link, call) for what lies further inside.

namespace hob {

HOB_HOST_TABLE(sockets_table, hob_sockets, "hob.sockets/1")

using Socket = hob_socket;

// Sockets by pattern and hob_socket_kind. [load]
inline std::vector<Socket*> find_sockets(hob_env* env, const char* pattern, uint32_t kind) {
  std::vector<Socket*> result(sockets_table().find(env, pattern, kind, nullptr, 0));
  sockets_table().find(env, pattern, kind, result.data(), static_cast<uint32_t>(result.size()));
  return result;
}

// What the next link, or at last the layer, makes of the call.
inline Tensor next(const hob_link& link, const hob_layer_call& call) {
  hob_tensor* out = nullptr;
  check(link.next->call(link.next, &call, &out));
  return Tensor(out);
}

// Puts a link on a socket, in the place that hob_link_role says; `user` reaches it as link.user and
// lives as long as the link. [load]
template <Tensor (*Function)(const hob_link&, const hob_layer_call&)>
void install(hob_env* env, Socket* socket, int32_t role, void* user) {
  check(sockets_table().install(
      env, socket, role,
      [](const hob_link* self, const hob_layer_call* call, hob_tensor** out) {
        return detail::guard([&] { *out = Function(*self, *call).release(); });
      },
      user));
}

// Takes this instance's links off again. [main]
inline void remove(hob_env* env, Socket* socket) {
  check(sockets_table().remove(env, socket));
}

}  // namespace hob
