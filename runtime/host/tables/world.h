#pragma once

#include <ATen/core/Tensor.h>
#include <hob/abi/params.h>
#include <hob/abi/segments.h>
#include <hob/abi/sockets.h>

#include <deque>
#include <map>
#include <memory>
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
  // Another tensor for the cell: raises generation. Keeps whether it is trained.
  void assign(at::Tensor value);
};

// A layer of the model with the links that act on it, outermost first.
struct Socket : hob_socket {
  std::string full_name;
  hob_link base;                                 // the layer itself
  std::vector<std::unique_ptr<hob_link>> links;  // in order; each next leads inwards
  std::vector<std::string> owners;               // instance names, aligned with links

  void rechain();
};

struct Segment : hob_segment {
  std::string full_name;
  std::string owner;  // the instance that set the mode; "" for none
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

  Param& add_param(std::string name, at::Tensor value, uint32_t role, uint32_t flags,
                   std::string owner);

 private:
  at::Device device_;
  hob_pass pass_;
  std::deque<Param> params_;
  std::deque<Socket> sockets_;
  std::deque<Segment> segments_;
  std::map<std::string, Param*, std::less<>> by_name_;
};

// The names of hob_role, as recipes write them after "role:".
std::string_view role_name(uint32_t role);

}  // namespace hob::host
