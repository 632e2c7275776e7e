#include "train/length.h"

#include <algorithm>
#include <cmath>
#include <string>

#include "base/error.h"

namespace hob::train {

using recipe::DurationUnit;

namespace {

uint64_t divide_rounding_up(uint64_t value, uint64_t divisor) {
  return value / divisor + (value % divisor != 0 ? 1 : 0);
}

}  // namespace

uint64_t Length::updates(const recipe::Duration& duration, const char* key) const {
  const auto rounded_up = [](double value) { return static_cast<uint64_t>(std::ceil(value)); };
  switch (duration.unit) {
    case DurationUnit::kEpochs:
      return rounded_up(duration.value * static_cast<double>(updates_per_epoch));
    case DurationUnit::kUpdates:
      return rounded_up(duration.value);
    case DurationUnit::kSamples:
      return rounded_up(duration.value / static_cast<double>(batch_size.samples));
    case DurationUnit::kTokens:
    case DurationUnit::kSeconds:
      break;
  }
  throw Error(Fault::kUsage, std::string(key) + " = \"" + recipe::format_duration(duration) +
                                 "\" is no number of updates; say it in epochs (\"2ep\"), updates "
                                 "(\"500up\") or samples (\"10ksamp\")");
}

uint64_t Length::total_updates(const recipe::Recipe& recipe) const {
  const recipe::Train& train = recipe.train;
  if (!train.epochs && !train.updates && !recipe.schedule.horizon) {
    throw Error(Fault::kUsage,
                "train.max_time alone tells the schedule no number of updates; set train.epochs or "
                "train.updates too, or schedule.horizon");
  }
  uint64_t total = UINT64_MAX;
  if (train.epochs) {
    const auto epochs = static_cast<uint64_t>(*train.epochs);
    const uint64_t first = batch_size.since_position / samples_per_epoch;
    total = batch_size.since_update;
    if (first < epochs)
      total += updates_of_first_epoch() + (epochs - first - 1) * updates_per_epoch;
  }
  if (train.updates) total = std::min(total, static_cast<uint64_t>(*train.updates));
  return total;
}

uint64_t Length::total_epochs(uint64_t total_updates) const {
  const uint64_t before = batch_size.since_position / samples_per_epoch;
  const uint64_t left = total_updates - std::min(total_updates, batch_size.since_update);
  if (left == 0) return before;
  const uint64_t later = left - std::min(left, updates_of_first_epoch());
  return before + 1 + divide_rounding_up(later, updates_per_epoch);
}

uint64_t Length::updates_of_first_epoch() const {
  const uint64_t samples = samples_per_epoch - batch_size.since_position % samples_per_epoch;
  return drop_last ? samples / batch_size.samples : divide_rounding_up(samples, batch_size.samples);
}

Every::Every(const recipe::Duration& period, const Length& length, const char* key) {
  const bool whole_epochs =
      period.unit == DurationUnit::kEpochs && period.value == std::floor(period.value);
  if (whole_epochs) {
    every_epochs_ = static_cast<uint64_t>(period.value);
  } else if (period.unit == DurationUnit::kSeconds) {
    every_seconds_ = period.value;
  } else {
    every_updates_ = std::max<uint64_t>(1, length.updates(period, key));
  }
}

bool Every::due(uint64_t update, std::optional<uint64_t> epochs_completed, double now_s) {
  if (every_epochs_) return epochs_completed && *epochs_completed % every_epochs_ == 0;
  if (every_updates_) return update % every_updates_ == 0;
  if (now_s - last_s_ < every_seconds_) return false;
  last_s_ = now_s;
  return true;
}

}  // namespace hob::train
