#pragma once

#include <hob/abi/objective.h>

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "data/order.h"
#include "data/source.h"

namespace hob::data {

// Memory for a slot's samples, with its own way to be freed.
using Buffer = std::unique_ptr<std::byte[], std::function<void(std::byte*)>>;
// Gives memory that is aligned to 64 bytes at least: pinned where a GPU is used. Called on the main
// thread while a Loader is made; may throw.
using Allocate = std::function<Buffer(std::size_t bytes)>;
// Plain memory.
Buffer allocate_plain(std::size_t bytes);

// What becomes of a sample that cannot be read.
enum class OnBad {
  kFail,
  // The next good one stands in for it: index + 1, + 2, ... (modulo size). For training: a batch
  // keeps its size, and which samples it holds depends on the data and the order alone.
  kReplace,
  kLeaveOut,  // The batch is shorter. For evaluation: no sample counts twice.
};

struct LoaderOptions {
  std::uint64_t batch_size = 1;   // samples of an update (a window)
  std::uint64_t micro_batch = 1;  // samples of one forward pass; more than batch_size: batch_size
  std::uint64_t threads = 0;      // that decode; 0: next_window() does it
  std::uint64_t prefetch = 0;     // micro-batches prepared ahead of the windows that are out
  bool shuffle = true;            // evaluation: false
  bool drop_last = false;
  std::uint64_t seed = 0;         // of the order
  std::uint64_t epochs = 0;       // the stream ends after so many; 0: never. Evaluation: 1
  std::uint64_t windows_out = 1;  // that may be held at once
  OnBad on_bad = OnBad::kFail;
  std::uint64_t bad_limit = 0;  // more different bad samples than this are an error
};

// Where a loader stands between two windows: what a checkpoint keeps.
struct LoaderState {
  std::uint64_t position = 0;          // samples of the whole: epoch * size + offset
  std::uint64_t size = 0;              // of the dataset it belongs to; 0: not checked
  std::vector<std::uint64_t> skipped;  // the bad samples so far, ascending

  bool operator==(const LoaderState&) const = default;
};

// Who weighs a micro-batch's targets. `self` is borrowed: it outlives the Loader.
struct ObjectiveInstance {
  const hob_objective* table = nullptr;  // null: nobody, and there are no terms
  void* self = nullptr;
  std::string name;                // for messages: "objective (cross_entropy)"
  std::vector<std::string> terms;  // names
};

// Samples in host memory; all of it is valid until the Window is released.
struct MicroBatch {
  std::uint64_t count = 0;                 // samples, > 0
  std::span<const hob_named_view> fields;  // contiguous, (count, ...), on a 64-byte boundary
  std::span<const std::uint64_t> indices;  // in the dataset, one a row
  std::span<const double> weights;         // one a term, finite and not negative
};

class Pipeline;
struct Slot;

// One update's samples. Gives its slots back when it is released or destroyed, on the main thread,
// before its Loader ends. Whoever copies from it asynchronously keeps it until the copies are done.
class Window {
 public:
  Window(Window&&) noexcept;
  Window& operator=(Window&&) noexcept;
  ~Window();

  const WindowRange& range() const { return range_; }
  // In order. All full but the last; with OnBad::kLeaveOut any may be short, or missing.
  std::span<const MicroBatch> micro_batches() const { return micro_batches_; }
  std::uint64_t samples() const { return samples_; }
  // The sum of the micro-batches' weights, one a term.
  std::span<const double> weights() const { return weights_; }
  // The next window is of another epoch, or there is none.
  bool ends_epoch() const { return ends_epoch_; }
  // What to save once this window's update is done.
  const LoaderState& state_after() const { return state_after_; }

  // Ends the validity of the micro-batches; the rest stays. Once more does nothing.
  void release();

 private:
  friend class Loader;
  Window() = default;

  Pipeline* pipeline_ = nullptr;  // null: released
  WindowRange range_;
  bool ends_epoch_ = false;
  std::uint64_t samples_ = 0;
  std::vector<Slot*> slots_;
  std::vector<MicroBatch> micro_batches_;
  std::vector<double> weights_;
  LoaderState state_after_;
};

// Reads a Source window by window, ahead of the caller, on its own threads. The same windows, byte
// for byte, whatever the number of threads and wherever it was resumed. One thread uses it.
class Loader {
 public:
  // Begins to read at `start`. The source outlives the loader. Throws hob::Error: kUsage where
  // there would be no update (numbers in the message) or `start` does not fit the dataset; kRun
  // where memory or threads are not to be had.
  Loader(const Source& source, const LoaderOptions& options, ObjectiveInstance objective = {},
         const Allocate& allocate = allocate_plain, LoaderState start = {});
  // Returns within the time of one sample. All windows must have been released.
  ~Loader();
  Loader(const Loader&) = delete;
  Loader& operator=(const Loader&) = delete;

  // The next update's samples; none at the end of the last epoch. Waits for them. Throws
  // hob::Error (kRun) that names dataset and sample where one cannot be had, at the window that it
  // belongs to: the windows before it come first. After an error only seek() helps. More than
  // windows_out windows at once are a bug of the caller: std::logic_error.
  std::optional<Window> next_window();

  // Goes to another place; an evaluation begins with seek({}). All windows must have been released
  // (std::logic_error). Constant time, but for samples that are being decoded. Throws as the
  // constructor does where the state does not fit.
  void seek(LoaderState state);

  // After the last window that next_window() gave.
  const LoaderState& state() const;

  std::uint64_t updates_per_epoch() const;
  // How long next_window() has waited (decoding included where threads = 0), since the beginning.
  double wait_seconds() const;

 private:
  void check(const LoaderState& state) const;
  std::vector<Slot*> wait_for(const WindowRange& range);
  void note_skipped(std::span<Slot* const> slots);

  const Source& source_;
  LoaderOptions options_;
  Windows windows_;
  LoaderState state_;
  double wait_seconds_ = 0;
  std::unique_ptr<Pipeline> pipeline_;
};

}  // namespace hob::data
