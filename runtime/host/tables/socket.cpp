#include <algorithm>

#include "base/text.h"
#include "host/tables/guard.h"
#include "host/tables/instance.h"
#include "host/tables/world.h"

namespace hob::host {
namespace {

hob_error* call_link(const hob_link* self, const hob_layer_call* args, hob_tensor** out) noexcept {
  const Link& link = static_cast<const Link&>(*self);
  hob_error* error = link.function(self, args, out);
  if (error) [[unlikely]] {
    guard([&] {
      add_place(*error, link.place);
      add_instance(*error, link.env->label);
    });
  }
  return error;
}

void check_role(int32_t role, const std::string& socket) {
  switch (role) {
    case HOB_LINK_OBSERVER:
    case HOB_LINK_BRANCH:
    case HOB_LINK_WEIGHT:
    case HOB_LINK_KERNEL:
      return;
    default:
      refuse("a link of role " + std::to_string(role) + " on socket " + quote(socket));
  }
}

}  // namespace

Link::Link(const hob_env* env, int32_t role, Function function, void* user, std::string_view socket)
    : hob_link{.struct_size = sizeof(hob_link),
               .role = role,
               .call = call_link,
               .next = nullptr,
               .user = user,
               .owner = env->instance.c_str()},
      env(env),
      function(function),
      place("layer '" + std::string(socket) + "'") {}

void Socket::install(const hob_env* env, int32_t role, Link::Function function, void* user) {
  check_role(role, full_name);
  for (const auto& link : links) {
    if (role != HOB_LINK_KERNEL || link->role != HOB_LINK_KERNEL) continue;
    refuse("'" + env->label + "' and '" + link->env->label + "' both want to compute layer " +
           quote(full_name) + "; let only one of them match it");
  }
  auto link = std::make_unique<Link>(env, role, function, user, full_name);
  const auto place =
      std::upper_bound(links.begin(), links.end(), role,
                       [](int32_t r, const auto& installed) { return r < installed->role; });
  links.insert(place, std::move(link));
  rechain();
}

void Socket::remove(const hob_env* env) {
  std::erase_if(links, [&](const auto& link) { return link->env == env; });
  rechain();
}

void Socket::rechain() {
  const hob_link* next = base.get();
  for (auto link = links.rbegin(); link != links.rend(); ++link) {
    (*link)->next = next;
    next = link->get();
  }
  head = links.empty() ? nullptr : next;
}

}  // namespace hob::host
