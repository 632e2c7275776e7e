#pragma once

#include <exception>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <thread>

#include "train/snapshot.h"
#include "train/store/best_tracker.h"
#include "train/store/checkpoint_store.h"

namespace hob::train {

// Writes checkpoints in the background, one at a time, and removes old ones after. Main thread.
class Saver {
 public:
  // `best`: which metric to protect the best checkpoint of, in which direction; none: only the
  // newest are kept.
  struct Best {
    std::string metric;
    BestMode mode;
  };
  Saver(CheckpointStore& store, size_t keep, const std::filesystem::path& run_dir,
        const std::optional<Best>& best);
  ~Saver();  // waits; an error that finish() did not ask for is lost
  Saver(const Saver&) = delete;
  Saver& operator=(const Saver&) = delete;

  // Begins to write; waits for the checkpoint before. `metrics` are those of an evaluation at this
  // very update, or empty. Throws the error of the one before.
  void save(Snapshot snapshot, std::map<std::string, double> metrics);

  // Whether these metrics would make the best checkpoint so far.
  bool would_be_best(const std::map<std::string, double>& metrics);

  // Enters what an evaluation at this checkpoint gave, unless it was entered before.
  void remember(const std::map<std::string, double>& metrics, uint64_t update);

  // Waits until all is on the disk. Throws the writer's error.
  void finish();

 private:
  void write(const Snapshot& snapshot, const std::map<std::string, double>& metrics);

  CheckpointStore& store_;
  size_t keep_;
  std::optional<Best> wanted_;
  std::optional<BestTracker> best_;     // the writer's while it runs
  std::unique_ptr<Snapshot> snapshot_;  // being written
  std::jthread writer_;
  std::exception_ptr error_;  // of the writer; read after it was joined
};

}  // namespace hob::train
