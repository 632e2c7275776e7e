#include "train/store/best_tracker.h"

#include <cmath>
#include <system_error>
#include <utility>
#include <vector>

#include "base/error.h"
#include "base/text.h"
#include "train/store/state_doc.h"

namespace hob::train {

namespace {

constexpr const char* kBestName = "best.json";

std::string mode_name(BestMode mode) {
  return mode == BestMode::kMin ? "min" : "max";
}

}  // namespace

bool is_better(double value, double best, BestMode mode) {
  if (std::isnan(value)) return false;
  if (std::isnan(best)) return true;
  return mode == BestMode::kMin ? value < best : value > best;
}

std::optional<BestRecord> read_best(const std::filesystem::path& run_dir) {
  const std::filesystem::path path = run_dir / kBestName;
  std::error_code ignored;  // a path that cannot be looked at is reported by the first write
  if (!std::filesystem::exists(path, ignored)) return std::nullopt;
  const StateDoc doc = read_state(path);
  return BestRecord{state_value<std::string>(doc, "metric"), state_value<double>(doc, "value"),
                    state_value<std::uint64_t>(doc, "update")};
}

BestTracker::BestTracker(const std::filesystem::path& run_dir, std::string metric, BestMode mode)
    : path_(run_dir / kBestName), metric_(std::move(metric)), mode_(mode) {
  std::error_code ignored;  // a path that cannot be looked at is reported by the first write
  if (!std::filesystem::exists(path_, ignored)) return;
  StateDoc doc = read_state(path_);
  if (state_value<std::string>(doc, "metric") != metric_) return;
  if (state_value<std::string>(doc, "mode") != mode_name(mode_)) return;
  best_ = BestRecord{metric_, state_value<double>(doc, "value"),
                     state_value<std::uint64_t>(doc, "update")};
}

void BestTracker::forget() {
  std::error_code ignored;  // a record that stays is dropped again by the next who reads it
  std::filesystem::remove(path_, ignored);
  best_.reset();
}

bool BestTracker::observe(const std::map<std::string, double>& metrics, std::uint64_t update) {
  auto it = metrics.find(metric_);
  if (it == metrics.end()) {
    std::vector<std::string> names;
    for (const auto& [name, value] : metrics) names.push_back(name);
    throw Error(Fault::kUsage, "checkpoint.best is " + quote(metric_) +
                                   ", which is not measured; the metrics are " + quote_all(names));
  }
  double value = it->second;
  if (std::isnan(value) || (best_ && !is_better(value, best_->value, mode_))) return false;
  write_state(
      path_,
      {{"metric", metric_}, {"mode", mode_name(mode_)}, {"value", value}, {"update", update}});
  best_ = BestRecord{metric_, value, update};
  return true;
}

}  // namespace hob::train
