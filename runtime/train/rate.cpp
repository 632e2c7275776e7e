#include "train/rate.h"

#include <hob/abi/schedule.h>

#include <algorithm>
#include <cmath>
#include <string>
#include <string_view>

#include "base/error.h"

namespace hob::train {

Rate::Rate(const host::Instance& schedule, const recipe::Schedule& recipe, const Length& length,
           uint64_t total_updates)
    : schedule_(schedule), warmup_(length.updates(recipe.warmup, "schedule.warmup")) {
  const uint64_t end =
      recipe.horizon ? length.updates(*recipe.horizon, "schedule.horizon") : total_updates;
  if (warmup_ > end) {
    throw Error(Fault::kUsage, "schedule.warmup is " + std::to_string(warmup_) +
                                   " updates, longer than the " + std::to_string(end) +
                                   " updates of the training");
  }
  horizon_ = end - warmup_;
}

double Rate::factor(const char* hyper, uint64_t update) const {
  if (update < warmup_ && std::string_view(hyper) == "lr") {
    return static_cast<double>(update + 1) / static_cast<double>(warmup_);
  }
  const uint64_t scheduled = update < warmup_ ? 0 : std::min(update - warmup_, horizon_);
  double factor = 0;
  schedule_.call(&hob_schedule::factor, hyper, scheduled, horizon_, &factor);
  if (!std::isfinite(factor) || factor < 0) {
    throw Error(Fault::kPlugin, "schedule (" + schedule_.component() + ") gave the factor " +
                                    std::to_string(factor) + " for update " +
                                    std::to_string(update) +
                                    "; a factor is finite and not negative");
  }
  return factor;
}

}  // namespace hob::train
