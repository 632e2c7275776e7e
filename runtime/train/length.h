#pragma once

#include <cstdint>
#include <optional>

#include "recipe/recipe.h"

namespace hob::train {

// The samples of an update, and since when: a resumed run may change it, and what was trained
// before counts as it was.
struct BatchSize {
  uint64_t samples = 0;
  uint64_t since_update = 0;
  uint64_t since_position = 0;  // in samples of the whole
};

// How long training is, in the units of a recipe. An epoch's updates are rounded up, unless a short
// batch is left out.
struct Length {
  uint64_t updates_per_epoch = 0;
  uint64_t samples_per_epoch = 0;
  BatchSize batch_size;
  bool drop_last = false;

  // A length in updates, rounded up. Seconds have none; tokens are not counted yet: both are
  // Error (usage), naming `key`.
  uint64_t updates(const recipe::Duration& duration, const char* key) const;
  // Of the whole training: what train.epochs and train.updates say, the smaller one. Throws Error
  // (usage) where neither is given and the schedule has no horizon of its own: it would not know
  // how far the training is.
  uint64_t total_updates(const recipe::Recipe& recipe) const;
  // How many epochs so many updates are, a part of one counting as one.
  uint64_t total_epochs(uint64_t total_updates) const;

 private:
  // Left in the epoch in which the batch size came in force.
  uint64_t updates_of_first_epoch() const;
};

// Something that comes again and again: "1ep", "500up", "30m".
class Every {
 public:
  Every(const recipe::Duration& period, const Length& length, const char* key);

  // Whether it is due after an update that completed `update` updates and, where it ended an epoch,
  // `epochs_completed` of them. `now_s` counts seconds of this process.
  bool due(uint64_t update, std::optional<uint64_t> epochs_completed, double now_s);

 private:
  uint64_t every_epochs_ = 0;  // exactly one of the three is not 0
  uint64_t every_updates_ = 0;
  double every_seconds_ = 0;
  double last_s_ = 0;
};

}  // namespace hob::train
