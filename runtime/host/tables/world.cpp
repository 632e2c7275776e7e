#include "host/tables/world.h"

#include <algorithm>
#include <array>
#include <utility>

#include "base/glob.h"
#include "base/text.h"
#include "host/tables/guard.h"

namespace hob::host {
namespace {

constexpr std::array<std::string_view, 6> kRoleNames = {"weight",    "bias", "norm",
                                                        "embedding", "head", "adapter"};

bool is_name_character(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
}

// Names become keys of files and targets of patterns.
void check_name(std::string_view what, std::string_view name) {
  bool good = true;
  char before = '.';
  for (const char c : name) {
    good = good && (is_name_character(c) || (c == '.' && before != '.'));
    before = c;
  }
  if (good && before != '.') return;
  refuse(std::string(what) + " cannot be named " + quote(name) +
         ": a name consists of letters, digits and '_', in parts separated by single dots");
}

template <class Names>
void check_new_name(std::string_view what, std::string_view name, const Names& names) {
  check_name(what, name);
  if (names.find(name) != names.end()) {
    refuse("there is already a " + std::string(what) + " named " + quote(name));
  }
}

// Parameters are changed in place, so that no two of their elements may be the same memory.
at::Tensor to_dense(const at::Tensor& value, at::Device device) {
  const at::Tensor moved = value.detach().to(device);
  return moved.is_non_overlapping_and_dense() ? moved : moved.contiguous();
}

void check_trainable(const hob_param& param, const at::Tensor& value) {
  const std::string name = quote(param.name);
  if (param.flags & HOB_PARAM_BUFFER) {
    refuse(name + " is a buffer, and buffers are never trained");
  }
  if (!at::isFloatingType(value.scalar_type())) {
    refuse(name + " is of type " + c10::toString(value.scalar_type()) +
           ", and only floating-point parameters can be trained");
  }
}

}  // namespace

void Param::assign(at::Tensor value) {
  if (!value.defined()) refuse("an undefined tensor for " + quote(full_name));
  at::Tensor dense = to_dense(value, tensor.device());
  if (is_trainable()) check_trainable(*this, dense);
  tensor = std::move(dense);
  tensor.set_requires_grad(is_trainable());
  ++generation;
}

void Param::set_trainable(bool on) {
  if (on) {
    check_trainable(*this, tensor);
    flags |= HOB_PARAM_TRAINABLE;
  } else {
    flags &= ~static_cast<uint32_t>(HOB_PARAM_TRAINABLE);
    tensor.mutable_grad().reset();  // else an optimizer would step by what was left
  }
  tensor.set_requires_grad(on);
}

bool Param::matches(std::string_view pattern) const {
  const std::array<std::string, 1> roles = {std::string(role_name(role))};
  return pattern_matches(pattern, full_name, roles) ||
         std::any_of(aliases.begin(), aliases.end(), [&](const std::string& alias) {
           return pattern_matches(pattern, alias, roles);
         });
}

void Segment::set_mode(uint32_t new_mode, const std::string& instance) {
  if (new_mode != HOB_SEGMENT_KEEP && new_mode != HOB_SEGMENT_RECOMPUTE) {
    refuse("segment " + quote(full_name) + " cannot run in mode " + std::to_string(new_mode));
  }
  if (!owner.empty() && owner != instance && mode != new_mode) {
    refuse("'" + instance + "' and '" + owner + "' want segment " + quote(full_name) +
           " to run in different ways; let only one of them match it");
  }
  mode = new_mode;
  if (owner.empty()) owner = instance;
}

World::World(at::Device device)
    : device_(device),
      pass_{
          .struct_size = sizeof(hob_pass), .training = 0, .recompute = 0, .micro = 0, .update = 0} {
}

Param* World::find_param(std::string_view name) {
  const auto found = by_name_.find(name);
  return found == by_name_.end() ? nullptr : found->second;
}

std::vector<Param*> World::match_params(std::string_view pattern) {
  std::vector<Param*> result;
  for (Param& param : params_) {
    if (param.matches(pattern)) result.push_back(&param);
  }
  return result;
}

std::vector<Socket*> World::match_sockets(std::string_view pattern, uint32_t kind) {
  std::vector<Socket*> result;
  for (Socket& socket : sockets_) {
    if (kind != HOB_SOCKET_ANY && kind != socket.kind) continue;
    // A layer's role is its weight's.
    const std::string role(socket.weight ? role_name(socket.weight->role) : "");
    if (pattern_matches(pattern, socket.full_name, {&role, 1})) result.push_back(&socket);
  }
  return result;
}

std::vector<Segment*> World::match_segments(std::string_view pattern) {
  std::vector<Segment*> matched;
  for (Segment& segment : segments_) {
    if (pattern_matches(pattern, segment.full_name, {})) matched.push_back(&segment);
  }
  const auto is_inside_another = [&](const Segment* inner) {
    return std::any_of(matched.begin(), matched.end(), [&](const Segment* outer) {
      return inner->full_name.compare(0, outer->full_name.size() + 1, outer->full_name + ".") == 0;
    });
  };
  std::vector<Segment*> result;
  std::copy_if(matched.begin(), matched.end(), std::back_inserter(result),
               [&](const Segment* segment) { return !is_inside_another(segment); });
  return result;
}

Param& World::add_param(std::string name, at::Tensor value, uint32_t role, uint32_t flags,
                        std::string owner) {
  check_new_name("parameter", name, by_name_);
  constexpr uint32_t kKnown = HOB_PARAM_TRAINABLE | HOB_PARAM_BUFFER | HOB_PARAM_EPHEMERAL;
  if (flags & ~kKnown) refuse(quote(name) + " is added with flags " + std::to_string(flags));
  if (role >= kRoleNames.size()) refuse(quote(name) + " has a role " + std::to_string(role));
  if (!value.defined()) refuse(quote(name) + " is added without a value");
  at::Tensor dense = to_dense(value, device_);
  hob_param cell{sizeof(hob_param), flags, 1, nullptr, name.c_str(), role, 0};
  if (flags & HOB_PARAM_TRAINABLE) check_trainable(cell, dense);

  Param& param = params_.emplace_back();
  static_cast<hob_param&>(param) = cell;
  param.full_name = std::move(name);
  param.owner = std::move(owner);
  param.tensor = std::move(dense);
  param.tensor.set_requires_grad(param.is_trainable());
  param.name = param.full_name.c_str();
  param.value = borrow(param.tensor);
  by_name_.emplace(param.full_name, &param);
  return param;
}

void World::add_alias(Param& param, std::string name) {
  check_new_name("parameter", name, by_name_);
  by_name_.emplace(name, &param);
  param.aliases.push_back(std::move(name));
}

Socket& World::add_socket(const hob_env* env, std::string name, const hob_socket& layer,
                          Link::Function base, void* user) {
  check_new_name("socket", name, socket_names_);
  auto link = std::make_unique<Link>(env, INT32_MAX, base, user, name);  // inside all others
  socket_names_.insert(name);
  Socket& socket = sockets_.emplace_back();
  static_cast<hob_socket&>(socket) = layer;
  socket.full_name = std::move(name);
  socket.struct_size = sizeof(hob_socket);
  socket.head = nullptr;
  socket.name = socket.full_name.c_str();
  socket.base = std::move(link);
  return socket;
}

Segment& World::add_segment(std::string name) {
  check_new_name("segment", name, segment_names_);
  segment_names_.insert(name);
  Segment& segment = segments_.emplace_back();
  segment.full_name = std::move(name);
  segment.struct_size = sizeof(hob_segment);
  segment.mode = HOB_SEGMENT_KEEP;
  segment.name = segment.full_name.c_str();
  return segment;
}

void World::remove_links(const hob_env* env) {
  for (Socket& socket : sockets_) socket.remove(env);
}

std::string_view role_name(uint32_t role) {
  return role < kRoleNames.size() ? kRoleNames[role] : "";
}

}  // namespace hob::host
