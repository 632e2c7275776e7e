#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <optional>
#include <string>

namespace hob::train {

enum class BestMode { kMin, kMax };

struct BestRecord {
  std::string metric;
  double value = 0;
  std::uint64_t update = 0;  // the checkpoint that reached it
};

// Whether `value` is strictly better than `best`. NaN is worse than any number in both modes.
bool is_better(double value, double best, BestMode mode);

// The record in a run's folder, whatever its metric; nothing where there is none. Throws Error
// (run) where the file is damaged.
std::optional<BestRecord> read_best(const std::filesystem::path& run_dir);

// Remembers the best value of one metric in `best.json` of the run folder.
class BestTracker {
 public:
  // Reads the record if there is one; a record of another metric or mode is dropped. Throws Error
  // (run) where the file is damaged.
  BestTracker(const std::filesystem::path& run_dir, std::string metric, BestMode mode);

  // Records the metric's value if it is better than the best so far, and says whether it was. NaN
  // is never recorded. Call it after the checkpoint of `update` is saved. Throws Error (usage)
  // listing the names there are where the metric is not among `metrics`.
  bool observe(const std::map<std::string, double>& metrics, std::uint64_t update);

  // Drops the record: its checkpoint is not there any more.
  void forget();

  const std::optional<BestRecord>& best() const { return best_; }

 private:
  std::filesystem::path path_;
  std::string metric_;
  BestMode mode_;
  std::optional<BestRecord> best_;
};

}  // namespace hob::train
