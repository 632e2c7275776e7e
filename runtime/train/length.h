#pragma once

#include <cstdint>
#include <optional>

#include "recipe/recipe.h"

namespace hob::train {

// How long training is, in the units of a recipe. An epoch's updates are rounded up.
struct Length {
  uint64_t updates_per_epoch = 0;
  uint64_t samples_per_epoch = 0;
  uint64_t batch_size = 0;

  // A length in updates, rounded up. Seconds have none; tokens are not counted yet: both are
  // Error (usage), naming `key`.
  uint64_t updates(const recipe::Duration& duration, const char* key) const;
  // Of the whole training: what train.epochs and train.updates say, the smaller one. Throws Error
  // (usage) where neither is given and the schedule has no horizon of its own: it would not know
  // how far the training is.
  uint64_t total_updates(const recipe::Recipe& recipe) const;
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
