#pragma once

#include <ATen/core/Tensor.h>

#include <cstdint>
#include <map>
#include <string>
#include <variant>
#include <vector>

namespace hob::host {

// What an instance saves: named tensors, and named values beside them. The tensors are the
// instance's own, not copies: who keeps a State beyond the next update clones them to the CPU
// first.
struct State {
  using Value = std::variant<std::int64_t, double, std::string, std::vector<std::int64_t>,
                             std::vector<double>, std::vector<std::string>>;
  uint32_t version = 0;  // the component's state_version that wrote it; 0: nothing was saved
  std::map<std::string, at::Tensor> tensors;
  std::map<std::string, Value> values;
};

}  // namespace hob::host
