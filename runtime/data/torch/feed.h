#pragma once

#include <ATen/core/Tensor.h>
#include <c10/core/Event.h>

#include <optional>
#include <vector>

#include "data/loader.h"

// From the loader's slots to tensors on the run's device.

namespace hob::data {

// A micro-batch as named tensors; the first dimension counts samples.
class Batch {
 public:
  // On a CPU the tensors lie in the slot itself; otherwise they are copied on the current stream.
  Batch(const MicroBatch& micro, at::Device device);

  std::span<const hob_named_tensor> tensors() const { return named_; }
  uint64_t count() const { return count_; }

 private:
  std::vector<at::Tensor> tensors_;
  std::vector<hob_named_tensor> named_;  // borrow from tensors_
  uint64_t count_;
};

// One update's samples on the device. The tensors are valid as long as it lives; on a GPU it lives
// until the work that was queued on them is done, for its slots are read by copies until then.
struct FeedStep {
  Window window;
  std::vector<Batch> batches;
};

// Memory of the loader's slots: pinned where the device is a GPU, so that copies are asynchronous.
Allocate slot_memory(at::Device device);

// Hands out updates. On a GPU the next update's samples are copied on a stream of their own while
// the present one computes. Main thread; the loader outlives it.
class Feed {
 public:
  Feed(Loader& loader, at::Device device);

  // Windows that the loader must allow to be out at once.
  static uint64_t windows_out(at::Device device) { return device.is_cpu() ? 1 : 3; }

  // The next update's samples; none at the end. A step is given back (destroyed) before the next
  // but one is asked for.
  std::optional<FeedStep> next();

 private:
  struct Ahead {
    FeedStep step;
    std::optional<c10::Event> copied;
  };
  std::optional<Ahead> fetch();

  Loader& loader_;
  at::Device device_;
  std::optional<Ahead> ahead_;  // already being copied; GPUs only
};

}  // namespace hob::data
