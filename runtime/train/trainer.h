#pragma once

#include <map>
#include <memory>
#include <optional>

#include "data/torch/feed.h"
#include "session/forward.h"
#include "session/session.h"
#include "train/delayed_scalar.h"
#include "train/evaluation.h"
#include "train/event_bus.h"
#include "train/length.h"
#include "train/rate.h"
#include "train/saver.h"
#include "train/snapshot.h"
#include "train/update.h"

namespace hob::train {

enum class Outcome {
  kDone,             // all updates
  kOutOfTime,        // train.max_time is over; saved, can be resumed
  kStopped,          // a signal asked for it; saved, can be resumed
  kAlreadyComplete,  // there was nothing left to do, and nothing was touched
};

// The training loop. Main thread; the session and the store outlive it.
class Trainer {
 public:
  // `from` is where a resumed run goes on: its state is in the session already (restore()).
  Trainer(session::Session& session, CheckpointStore& store, const std::optional<RunState>& from);

  // Trains to the end, or until it is stopped. A run that is stopped saves the update it is at.
  Outcome run();

  // Nothing is left to do: run() would touch nothing.
  bool is_complete() const;
  const Progress& progress() const { return progress_; }
  uint64_t total_updates() const { return total_updates_; }
  // Of the last evaluation.
  const Scalars& evaluation_results() const { return results_; }

 private:
  void train_window(const data::FeedStep& step);
  // An update that was skipped. Throws Error (run) after too many without one that was not.
  void note_skipped();
  // What the last update's loss says, one update later: nobody waits for it.
  void check_last_loss();
  Scalars read_scalars(const UpdateResult& result, const Factors& factors);
  void after_window(bool epoch_ended);
  void evaluate();
  void save();

  session::Session& session_;
  data::Source source_;
  std::unique_ptr<data::Loader> loader_;
  session::Forward forward_;
  Updater updater_;
  std::optional<Evaluation> evaluation_;
  Length length_;
  uint64_t total_updates_;
  uint64_t skipped_in_a_row_ = 0;
  std::optional<uint64_t> epochs_;  // after which the run ends, even where updates were skipped
  Rate rate_;
  EventBus bus_;
  Every evaluate_every_;
  Every save_every_;
  Saver saver_;

  Progress progress_;
  data::LoaderState position_;  // after the last window
  struct {
    uint64_t update = 0;
    double elapsed_s = 0;
  } logged_at_;  // the last logging point
  DelayedScalar last_loss_;
  Scalars results_;
  std::optional<uint64_t> evaluated_at_;  // the update of results_
  std::optional<uint64_t> saved_at_;
};

}  // namespace hob::train
