#pragma once

#include <filesystem>
#include <vector>

#include "data/loader.h"
#include "data/torch/tensor_file.h"
#include "session/session.h"
#include "train/event_bus.h"
#include "train/length.h"
#include "train/store/checkpoint_store.h"
#include "train/store/state_doc.h"

namespace hob::train {

// Where a run is, between two updates.
struct RunState {
  Progress progress;
  data::LoaderState loader;
  BatchSize batch_size;
  Scalars results;  // of an evaluation at this very update, or empty
};

// All that a stopped run needs to go on bitwise, copied to host memory: weights and buffers,
// optimizer, every instance's state, generators, the loader's position, counts.
struct Snapshot {
  uint64_t update = 0;
  data::NamedTensors model;
  data::Aliases aliases;
  data::NamedTensors optimizer;  // "<state>/<parameter>"
  data::NamedTensors state;      // "random/cpu", "<instance>/<name>"
  StateDoc values;

  // The files of a checkpoint. They refer to the snapshot, which outlives their writing.
  std::vector<CheckpointFile> files() const;
};

// Waits for the device. Throws Error (run) where a weight is not finite: such a checkpoint would
// replace a good one.
Snapshot capture(session::Session& session, const RunState& run);

// Puts a checkpoint's content into a session that was made from the same recipe. Throws Error that
// names what does not fit.
RunState restore(session::Session& session, const std::filesystem::path& checkpoint);

}  // namespace hob::train
