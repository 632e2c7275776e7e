#pragma once

#include <ATen/core/Tensor.h>
#include <c10/core/Event.h>

#include <optional>

namespace hob::train {

// A number on the device that the host reads one update later, so that nobody waits for it.
class DelayedScalar {
 public:
  // Begins to bring a one-element tensor to the host. What was there before is forgotten.
  void set(const at::Tensor& value);

  // The number, once; none where none was set. Waits only until the work that was queued before
  // set() is done.
  std::optional<double> take();

 private:
  at::Tensor host_;  // (1) or (), on the CPU; pinned where the value comes from a GPU
  std::optional<c10::Event> copied_;
};

}  // namespace hob::train
