#pragma once

#include <hob/abi/objective.h>

#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "session/verify/bench.h"

namespace hob::session::verify {

// What a model returned and what it should have, for objectives and metrics: named tensors, the
// first dimension of each counts samples. On the CPU and contiguous.
struct Task {
  using Named = std::vector<std::pair<std::string, at::Tensor>>;

  Named outputs;
  Named batch;

  // The samples `begin` .. `end` - 1; shares no memory with this.
  Task part(int64_t begin, int64_t end) const;
  // Asks for the gradients of the floating outputs.
  void require_gradients();
};

inline constexpr int64_t kTaskSamples = 7;

// Runs a check with tasks of usual shapes that the component takes: those of classification, or,
// where it takes none of them, those of regression. `take` throws PluginError where it does not
// want a task. Every text parameter of the component may be a name of a field, and hence is one.
// Throws Skip where it takes no task at all.
void on_each_task(Bench& bench, const std::function<void(const Task&)>& take,
                  const std::function<void(const Task&)>& check);

// The C views of a task; borrowed from it.
std::vector<hob_named_tensor> tensors_of(const Task::Named& named);
std::vector<hob_named_view> views_of(const Task::Named& named);

}  // namespace hob::session::verify
