#pragma once

#include <ATen/core/Tensor.h>
#include <hob/abi/params.h>
#include <hob/abi/segments.h>
#include <hob/abi/sockets.h>

#include <deque>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <string_view>
#include <vector>

namespace hob::host {

// A parameter or buffer of the model: the cell that plugins see, and what the host keeps of it.
struct Param : hob_param {
  at::Tensor tensor;                 // what value points to
  std::string full_name;             // what name points to
  std::vector<std::string> aliases;  // further names of the same cell (tied weights)
  std::string owner;                 // the instance that added it: "model", "compression.0"

  bool is_buffer() const { return (flags & HOB_PARAM_BUFFER) != 0; }
  bool is_trainable() const { return (flags & HOB_PARAM_TRAINABLE) != 0; }
  // Another tensor for the cell, moved to the device of the one before: raises generation. Keeps
  // whether it is trained, and has no gradient yet. The caller's tensor itself is not touched.
  void assign(at::Tensor value);
  // Buffers, and types that cannot have a gradient, are refused. Freezing drops the gradient.
  void set_trainable(bool on);
  // Whether the pattern, as in a recipe, means this one by any of its names or its role.
  bool matches(std::string_view pattern) const;
};

// One link of a chain. What the chain calls is the host's, which passes the call on to the plugin's
// function and, where that fails, adds the instance and the layer to the error.
struct Link : hob_link {
  using Function = hob_error* (*)(const hob_link*, const hob_layer_call*, hob_tensor**);

  Link(const hob_env* env, int32_t role, Function function, void* user, std::string_view socket);
  Link(const Link&) = delete;
  Link& operator=(const Link&) = delete;

  const hob_env* env;
  Function function;
  std::string place;  // "layer 'h.1.attn.qkv'"
};

// A layer of the model with the links that act on it.
struct Socket : hob_socket {
  std::string full_name;
  std::unique_ptr<Link> base;                // the layer itself
  std::vector<std::unique_ptr<Link>> links;  // outermost first; each next leads inwards

  // A second kernel is refused.
  void install(const hob_env* env, int32_t role, Link::Function function, void* user);
  void remove(const hob_env* env);

 private:
  void rechain();
};

struct Segment : hob_segment {
  std::string full_name;
  std::string owner;  // the instance that set the mode, "memory.0"; "" for none

  // A mode other than the one that another instance set is refused.
  void set_mode(uint32_t mode, const std::string& instance);
};

// All that the components of one run registered, and the pass that is going on. The addresses of
// cells, sockets and segments do not change. Main thread, but for reading.
class World {
 public:
  explicit World(at::Device device);
  World(const World&) = delete;
  World& operator=(const World&) = delete;

  at::Device device() const { return device_; }
  hob_pass& pass() { return pass_; }

  std::deque<Param>& params() { return params_; }
  std::deque<Socket>& sockets() { return sockets_; }
  std::deque<Segment>& segments() { return segments_; }

  // By full name or alias; null when there is none.
  Param* find_param(std::string_view name);
  // Patterns as in a recipe: globs on full names, or "role:norm".
  std::vector<Param*> match_params(std::string_view pattern);
  std::vector<Socket*> match_sockets(std::string_view pattern, uint32_t kind);
  // Of nested segments the outermost.
  std::vector<Segment*> match_segments(std::string_view pattern);

  // A name consists of letters, digits, '_' and '.' between parts, and is new; all else is refused.
  Param& add_param(std::string name, at::Tensor value, uint32_t role, uint32_t flags,
                   std::string owner);
  void add_alias(Param& param, std::string name);
  // `layer` is what a socket consists of, but for struct_size, head and name.
  Socket& add_socket(const hob_env* env, std::string name, const hob_socket& layer,
                     Link::Function base, void* user);
  Segment& add_segment(std::string name);

  // Takes all links of an instance off.
  void remove_links(const hob_env* env);

 private:
  at::Device device_;
  hob_pass pass_;
  std::deque<Param> params_;
  std::deque<Socket> sockets_;
  std::deque<Segment> segments_;
  std::map<std::string, Param*, std::less<>> by_name_;
  std::set<std::string, std::less<>> socket_names_;
  std::set<std::string, std::less<>> segment_names_;
};

// The names of hob_role, as recipes write them after "role:".
std::string_view role_name(uint32_t role);

}  // namespace hob::host
