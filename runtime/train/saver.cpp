#include "train/saver.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "base/log.h"

namespace hob::train {

Saver::Saver(CheckpointStore& store, size_t keep, const std::filesystem::path& run_dir,
             const std::optional<Best>& best)
    : store_(store), keep_(keep), wanted_(best) {
  if (!best) return;
  best_.emplace(run_dir, best->metric, best->mode);
  if (!best_->best()) return;
  const std::vector<uint64_t> there = store.list();
  if (std::find(there.begin(), there.end(), best_->best()->update) == there.end()) best_->forget();
}

Saver::~Saver() {
  try {
    finish();
  } catch (const std::exception& error) {
    log::error(error.what());
  }
}

void Saver::save(Snapshot snapshot, std::map<std::string, double> metrics) {
  finish();
  snapshot_ = std::make_unique<Snapshot>(std::move(snapshot));
  writer_ = std::jthread([this, metrics = std::move(metrics)] {
    try {
      write(*snapshot_, metrics);
    } catch (...) {
      error_ = std::current_exception();
    }
  });
}

void Saver::write(const Snapshot& snapshot, const std::map<std::string, double>& metrics) {
  const std::vector<CheckpointFile> files = snapshot.files();
  store_.save(snapshot.update, files);
  remember(metrics, snapshot.update);
  std::optional<uint64_t> best_update;
  if (best_ && best_->best()) best_update = best_->best()->update;
  store_.prune(keep_, best_update);
}

void Saver::remember(const std::map<std::string, double>& metrics, uint64_t update) {
  if (best_ && !metrics.empty()) best_->observe(metrics, update);
}

bool Saver::would_be_best(const std::map<std::string, double>& metrics) {
  if (!wanted_) return false;
  finish();  // the record is the writer's until then
  const auto found = metrics.find(wanted_->metric);
  if (found == metrics.end()) return false;
  const double best = best_->best() ? best_->best()->value : std::nan("");
  return is_better(found->second, best, wanted_->mode);
}

void Saver::finish() {
  if (writer_.joinable()) writer_.join();
  snapshot_.reset();
  if (error_) std::rethrow_exception(std::exchange(error_, nullptr));
}

}  // namespace hob::train
