#include "data/loader.h"

#include <algorithm>
#include <chrono>
#include <functional>
#include <stdexcept>
#include <utility>

#include "base/error.h"
#include "base/log.h"
#include "data/pipeline.h"
#include "data/slot.h"

namespace hob::data {
namespace {

constexpr std::uint64_t kMaxThreads = 1024;
constexpr std::uint64_t kMaxPosition = std::uint64_t{1} << 63;

LoaderOptions checked(LoaderOptions options, const Source& source) {
  if (options.batch_size == 0 || options.micro_batch == 0 || options.windows_out == 0) {
    throw std::logic_error("a loader's batch_size, micro_batch and windows_out are at least 1");
  }
  if (options.threads > kMaxThreads) {
    throw Error(Fault::kUsage, "loader.threads is " + std::to_string(options.threads) +
                                   "; at most " + std::to_string(kMaxThreads) + " are possible");
  }
  if (options.drop_last && source.size() < options.batch_size) {
    throw Error(Fault::kUsage,
                source.name() + ": there are " + std::to_string(source.size()) +
                    " samples, loader.batch_size is " + std::to_string(options.batch_size) +
                    ", and loader.drop_last leaves out a short batch: an epoch would have no "
                    "update; lower batch_size or set drop_last = false");
  }
  options.batch_size = std::min(options.batch_size, source.size());
  options.micro_batch = std::min(options.micro_batch, options.batch_size);
  return options;
}

}  // namespace

Window::Window(Window&& other) noexcept {
  *this = std::move(other);
}

Window& Window::operator=(Window&& other) noexcept {
  release();
  pipeline_ = std::exchange(other.pipeline_, nullptr);
  range_ = other.range_;
  ends_epoch_ = other.ends_epoch_;
  samples_ = other.samples_;
  slots_ = std::move(other.slots_);
  micro_batches_ = std::move(other.micro_batches_);
  weights_ = std::move(other.weights_);
  state_after_ = std::move(other.state_after_);
  return *this;
}

Window::~Window() {
  release();
}

void Window::release() {
  if (pipeline_ == nullptr) return;
  std::exchange(pipeline_, nullptr)->give_back(slots_);
  micro_batches_.clear();
}

Loader::Loader(const Source& source, const LoaderOptions& options, ObjectiveInstance objective,
               const Allocate& allocate, LoaderState start)
    : source_(source),
      options_(checked(options, source)),
      windows_(source.size(), options_.batch_size, options_.drop_last, options_.epochs),
      pipeline_(std::make_unique<Pipeline>(source, options_, std::move(objective), allocate)) {
  seek(std::move(start));
}

Loader::~Loader() = default;

void Loader::check(const LoaderState& state) const {
  if (state.size != 0 && state.size != source_.size()) {
    throw Error(Fault::kUsage, source_.name() + ": the saved position is of a dataset with " +
                                   std::to_string(state.size) + " samples, and now there are " +
                                   std::to_string(source_.size()) +
                                   "; put the data back, or start a new run");
  }
  if (state.position > kMaxPosition) {
    throw Error(Fault::kUsage, source_.name() + ": the saved position is " +
                                   std::to_string(state.position) +
                                   " samples; at most 2^63 are possible");
  }
  const auto& skipped = state.skipped;
  if (std::adjacent_find(skipped.begin(), skipped.end(), std::greater_equal<>()) != skipped.end() ||
      (!skipped.empty() && skipped.back() >= source_.size())) {
    throw Error(Fault::kUsage, source_.name() +
                                   ": the saved list of skipped samples is not in order, or names "
                                   "a sample that is not there");
  }
}

void Loader::seek(LoaderState state) {
  if (pipeline_->windows_out() != 0) {
    throw std::logic_error("Loader::seek: a window has not been released");
  }
  check(state);
  state.size = source_.size();
  state_ = std::move(state);
  pipeline_->start(state_.position);
}

std::optional<Window> Loader::next_window() {
  if (pipeline_->windows_out() >= options_.windows_out) {
    throw std::logic_error("Loader::next_window: a window has not been released");
  }
  const std::optional<WindowRange> range = windows_.at(state_.position);
  if (!range) return std::nullopt;

  Window window;
  window.range_ = *range;
  window.slots_ = wait_for(*range);
  note_skipped(window.slots_);
  state_.position = windows_.after(*range);
  const std::optional<WindowRange> following = windows_.at(state_.position);
  window.ends_epoch_ = !following || following->epoch != range->epoch;
  window.state_after_ = state_;
  window.weights_.assign(window.slots_.front()->weights.size(), 0.0);
  for (const Slot* slot : window.slots_) {
    window.samples_ += slot->count;
    if (slot->count > 0) window.micro_batches_.push_back(slot->micro_batch());
    for (std::size_t term = 0; term < slot->weights.size(); ++term) {
      window.weights_[term] += slot->weights[term];
    }
  }
  pipeline_->take(window.slots_.size());
  window.pipeline_ = pipeline_.get();
  return window;
}

std::vector<Slot*> Loader::wait_for(const WindowRange& range) {
  using Clock = std::chrono::steady_clock;
  std::vector<Slot*> slots;
  const Clock::time_point begin = Clock::now();
  for (std::uint64_t rows = 0; rows < range.count; rows += options_.micro_batch) {
    slots.push_back(&pipeline_->wait(slots.size()));
    if (slots.back()->error) break;
  }
  wait_seconds_ += std::chrono::duration<double>(Clock::now() - begin).count();
  if (slots.back()->error) throw *slots.back()->error;
  return slots;
}

// Samples that are bad in every epoch count once. Nothing changes where they are too many.
void Loader::note_skipped(std::span<Slot* const> slots) {
  std::vector<std::uint64_t> known = state_.skipped;
  std::vector<const Skipped*> fresh;
  for (Slot* slot : slots) {
    // Workers noted them as they came.
    std::stable_sort(slot->skipped.begin(), slot->skipped.end(),
                     [](const Skipped& a, const Skipped& b) { return a.row < b.row; });
    for (const Skipped& skipped : slot->skipped) {
      const auto at = std::lower_bound(known.begin(), known.end(), skipped.index);
      if (at != known.end() && *at == skipped.index) continue;
      known.insert(at, skipped.index);
      fresh.push_back(&skipped);
    }
  }
  if (fresh.empty()) return;
  if (known.size() > options_.bad_limit) {
    throw Error(Fault::kRun, too_many_bad(options_.bad_limit, fresh.back()->text));
  }
  std::uint64_t number = state_.skipped.size();
  for (const Skipped* skipped : fresh) {
    log::warn_once(source_.name() + " skips " + std::to_string(skipped->index),
                   skipped->text + "; it is skipped, " + std::to_string(++number) + " of at most " +
                       std::to_string(options_.bad_limit));
  }
  state_.skipped = std::move(known);
}

const LoaderState& Loader::state() const {
  return state_;
}

std::uint64_t Loader::updates_per_epoch() const {
  return windows_.updates_per_epoch();
}

double Loader::wait_seconds() const {
  return wait_seconds_;
}

}  // namespace hob::data
