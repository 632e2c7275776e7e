#include "data/pipeline.h"

#include <algorithm>
#include <cmath>
#include <exception>
#include <system_error>
#include <utility>

#include "base/error.h"
#include "base/text.h"

namespace hob::data {
namespace {

constexpr std::uint64_t kAllRows = ~std::uint64_t{0};  // an error of the micro-batch as a whole

// Small enough that all threads share a micro-batch evenly, and large enough that taking the next
// one costs little beside cheap samples.
std::uint64_t rows_of_chunk(const LoaderOptions& options) {
  if (options.threads == 0) return options.micro_batch;
  return std::clamp<std::uint64_t>(options.micro_batch / (4 * options.threads), 1, 64);
}

std::uint64_t number_of_slots(const LoaderOptions& options) {
  const std::uint64_t of_window = (options.batch_size - 1) / options.micro_batch + 1;
  return of_window * options.windows_out + (options.threads == 0 ? 0 : options.prefetch);
}

}  // namespace

std::string too_many_bad(std::uint64_t limit, const std::string& last) {
  return "more than " + std::to_string(limit) +
         " bad samples (loader.bad_sample_limit); the last: " + last;
}

Pipeline::Pipeline(const Source& source, const LoaderOptions& options, ObjectiveInstance objective,
                   const Allocate& allocate)
    : source_(source),
      options_(options),
      objective_(std::move(objective)),
      order_(source.size(), options.seed, options.shuffle),
      windows_(source.size(), options.batch_size, options.drop_last, options.epochs),
      chunk_rows_(rows_of_chunk(options)) {
  if (options.threads == 0) own_worker_ = make_worker();
  for (std::uint64_t i = 0; i < number_of_slots(options); ++i) {
    slots_.push_back(
        std::make_unique<Slot>(source, options.micro_batch, objective_.terms.size(), allocate));
    free_.push_back(slots_.back().get());
  }
  queue_.reserve(slots_.size());
  start_threads();
}

Pipeline::~Pipeline() {
  interrupted_ = true;
  for (std::jthread& thread : threads_) thread.request_stop();
}

Pipeline::Worker Pipeline::make_worker() const {
  return {source_.make_scratch(), std::vector<hob_view>(source_.fields().size())};
}

void Pipeline::start_threads() {
  try {
    for (std::uint64_t i = 0; i < options_.threads; ++i) {
      threads_.emplace_back([this, worker = make_worker()](const std::stop_token& stop) mutable {
        work(stop, worker);
      });
    }
  } catch (const std::system_error& error) {
    throw Error(Fault::kRun, source_.name() + ": only " + std::to_string(threads_.size()) + " of " +
                                 std::to_string(options_.threads) + " threads could be started (" +
                                 error.what() + "); lower loader.threads");
  }
}

void Pipeline::start(std::uint64_t position) {
  std::unique_lock lock(mutex_);
  interrupted_ = true;
  idle_.wait(lock, [&] { return busy_ == 0; });
  free_.insert(free_.end(), queue_.begin(), queue_.end());
  queue_.clear();
  current_ = nullptr;
  next_ = windows_.at(position);
  next_offset_ = 0;
  interrupted_ = false;
  work_.notify_all();
}

Slot& Pipeline::wait(std::size_t ahead) {
  std::unique_lock lock(mutex_);
  const auto is_there = [&] { return ahead < queue_.size() && queue_[ahead]->complete; };
  if (threads_.empty()) {
    while (!is_there()) run_chunk(lock, *own_worker_);
  } else {
    complete_.wait(lock, is_there);
  }
  return *queue_[ahead];
}

void Pipeline::take(std::size_t slots) noexcept {
  const std::lock_guard lock(mutex_);
  queue_.erase(queue_.begin(), queue_.begin() + static_cast<std::ptrdiff_t>(slots));
  ++windows_out_;
}

void Pipeline::give_back(std::span<Slot* const> slots) noexcept {
  const std::lock_guard lock(mutex_);
  free_.insert(free_.end(), slots.begin(), slots.end());  // within its capacity
  --windows_out_;
  work_.notify_all();
}

void Pipeline::work(const std::stop_token& stop, Worker& worker) {
  std::unique_lock lock(mutex_);
  while (work_.wait(lock, stop, [&] { return can_claim(); }) && !stop.stop_requested()) {
    run_chunk(lock, worker);
  }
}

bool Pipeline::can_claim() const {
  return !interrupted_ && (current_ != nullptr || (next_ && !free_.empty()));
}

void Pipeline::open_next() {
  current_ = free_.back();
  free_.pop_back();
  const std::uint64_t rows = std::min(options_.micro_batch, next_->count - next_offset_);
  current_->open(next_->epoch, next_->offset + next_offset_, rows);
  queue_.push_back(current_);
  next_offset_ += rows;
  if (next_offset_ == next_->count) {
    next_ = windows_.at(windows_.after(*next_));
    next_offset_ = 0;
  }
}

Pipeline::Chunk Pipeline::claim() {
  if (current_ == nullptr) open_next();
  Slot* slot = current_;
  const std::uint64_t first = slot->rows_given;
  const std::uint64_t end = std::min(first + chunk_rows_, slot->count);
  slot->rows_given = end;
  if (end == slot->count) current_ = nullptr;
  return {slot, first, end};
}

void Pipeline::run_chunk(std::unique_lock<std::mutex>& lock, Worker& worker) {
  const Chunk chunk = claim();
  ++busy_;
  lock.unlock();
  const bool is_last = fill(chunk, worker);
  if (is_last) finish(*chunk.slot);
  lock.lock();
  if (is_last) {
    chunk.slot->complete = true;
    complete_.notify_one();
  }
  if (--busy_ == 0) idle_.notify_one();
}

// True where no row of the slot is left to fill.
bool Pipeline::fill(const Chunk& chunk, Worker& worker) {
  for (std::uint64_t row = chunk.first; row < chunk.end; ++row) {
    if (interrupted_) return false;
    try {
      fill_row(*chunk.slot, row, worker);
    } catch (const std::exception& error) {
      note_error(*chunk.slot, row, source_.name() + ": " + error.what());
    } catch (...) {
      note_error(*chunk.slot, row, source_.name() + ": a plugin threw what is no std::exception");
    }
  }
  if (interrupted_) return false;  // perhaps amid the last row
  const std::uint64_t rows = chunk.end - chunk.first;
  return chunk.slot->rows_left.fetch_sub(rows) == rows;
}

void Pipeline::fill_row(Slot& slot, std::uint64_t row, Worker& worker) {
  slot.row_views(row, worker.row);
  std::uint64_t index = order_.sample(slot.epoch, slot.offset + row);
  for (std::uint64_t tried = 1; !interrupted_; ++tried) {
    const auto failure = source_.read(index, slot.epoch, worker.row, worker.scratch);
    slot.indices[row] = index;
    if (!failure) return;
    if (!failure->bad_sample) return note_error(slot, row, failure->text);
    if (options_.on_bad == OnBad::kFail) {
      return note_error(
          slot, row, failure->text + "; correct the data, or set loader.on_bad_sample = \"skip\"");
    }
    note_skipped(slot, {row, index, failure->text});
    if (options_.on_bad == OnBad::kLeaveOut) {
      slot.left_out[row] = 1;
      return;
    }
    if (tried > options_.bad_limit) {
      return note_error(slot, row, too_many_bad(options_.bad_limit, failure->text));
    }
    if (tried == source_.size()) {
      return note_error(slot, row,
                        source_.name() + ": none of the " + std::to_string(tried) +
                            " samples can be read; the last: " + failure->text);
    }
    index = (index + 1) % source_.size();
  }
}

void Pipeline::finish(Slot& slot) {
  {
    // An error's rows hold nothing to weigh. No worker has a row any more, but main may not see it.
    const std::lock_guard lock(mutex_);
    if (slot.error) return;
  }
  slot.close();
  if (objective_.table == nullptr || slot.count == 0) return;
  try {
    weigh(slot);
  } catch (const std::exception& error) {
    note_error(slot, kAllRows, objective_.name + ": " + error.what());
  } catch (...) {
    note_error(slot, kAllRows, objective_.name + ": threw what is no std::exception");
  }
}

void Pipeline::weigh(Slot& slot) {
  hob_error* error = objective_.table->weights(objective_.self, slot.fields.data(),
                                               static_cast<std::uint32_t>(slot.fields.size()),
                                               slot.weights.data());
  if (error != nullptr) {
    return note_error(slot, kAllRows, objective_.name + ": " + source_.translate(error).text);
  }
  for (std::size_t term = 0; term < slot.weights.size(); ++term) {
    const double weight = slot.weights[term];
    if (std::isfinite(weight) && weight >= 0) continue;
    return note_error(slot, kAllRows,
                      objective_.name + ": term " + quote(objective_.terms[term]) + " has weight " +
                          format_number(weight) + "; it must be finite and not negative");
  }
}

void Pipeline::note_error(Slot& slot, std::uint64_t row, const std::string& text) {
  const std::lock_guard lock(mutex_);
  if (slot.error && slot.error_row <= row) return;
  slot.error.emplace(Fault::kRun, text);
  slot.error_row = row;
}

void Pipeline::note_skipped(Slot& slot, Skipped skipped) {
  const std::lock_guard lock(mutex_);
  slot.skipped.push_back(std::move(skipped));
}

}  // namespace hob::data
