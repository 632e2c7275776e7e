#pragma once

#include <ATen/core/Tensor.h>
#include <c10/core/Event.h>

#include <exception>
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

// Waits in its destructor until copies out of a slot are done. They run on a stream of their own,
// whole updates ahead of the computation: there is nothing to wait for in practice.
class CopyGuard {
 public:
  CopyGuard() = default;
  explicit CopyGuard(c10::Event copied) { copied_.emplace(std::move(copied)); }
  CopyGuard(CopyGuard&& other) noexcept : copied_(std::move(other.copied_)) {
    other.copied_.reset();
  }
  CopyGuard& operator=(CopyGuard&& other) noexcept {
    std::swap(copied_, other.copied_);
    return *this;
  }
  ~CopyGuard() {
    if (!copied_) return;
    try {
      copied_->synchronize();
    } catch (const std::exception&) {
      // The device has failed: whoever queued the work has that error, and reports it.
    }
  }
  // Work that is queued on the stream from here on waits for the copies.
  void block(const c10::Stream& stream) {
    if (copied_) copied_->block(stream);
  }

 private:
  std::optional<c10::Event> copied_;
};

// One update's samples on the device. The tensors are valid as long as it lives.
struct FeedStep {
  Window window;
  std::vector<Batch> batches;
  CopyGuard copies;  // the last member: gone before the window gives its slots back
};

// Memory of the loader's slots: pinned where the device is a GPU, so that copies are asynchronous.
Allocate slot_memory(at::Device device);

// A stream for copies to the device, to be kept: the allocator keeps memory for each stream that is
// used. None on a CPU.
std::optional<c10::Stream> copy_stream(at::Device device);

// Hands out updates. On a GPU the next update's samples are copied on a stream of their own while
// the present one computes. Main thread; the loader outlives it.
class Feed {
 public:
  // `copies` is the stream that copies to the device; see copy_stream().
  Feed(Loader& loader, at::Device device, std::optional<c10::Stream> copies);

  // Windows that the loader must allow to be out at once.
  static uint64_t windows_out(at::Device device) { return device.is_cpu() ? 1 : 2; }

  // The next update's samples; none at the end. A step is destroyed before the next is asked for.
  std::optional<FeedStep> next();

 private:
  std::optional<FeedStep> fetch();

  Loader& loader_;
  at::Device device_;
  std::optional<c10::Stream> copies_;
  std::optional<FeedStep> ahead_;    // already being copied; GPUs only
  std::exception_ptr ahead_failed_;  // why the next one is not there: told at its turn
};

}  // namespace hob::data
