#pragma once

#include <cstdint>

#include "host/tables/instance.h"
#include "recipe/recipe.h"
#include "train/length.h"

namespace hob::train {

// The factor on a hyper-parameter's base value in each update: a linear warm-up, then the schedule.
// A pure function of the update.
class Rate {
 public:
  // Throws Error (usage) where the warm-up is longer than the training.
  Rate(const host::Instance& schedule, const recipe::Schedule& recipe, const Length& length,
       uint64_t total_updates);

  // For the update that follows `update` completed ones. In a warm-up of w updates the learning
  // rate has (update + 1) / w, so that the last of them has the full value, and everything else
  // what the schedule begins with. Throws Error where the schedule gives a factor that is negative
  // or not finite.
  double factor(const char* hyper, uint64_t update) const;

 private:
  const host::Instance& schedule_;
  uint64_t warmup_;
  uint64_t horizon_;  // updates after the warm-up
};

}  // namespace hob::train
