#pragma once

#include <atomic>
#include <condition_variable>
#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <stop_token>
#include <string>
#include <thread>
#include <vector>

#include "data/loader.h"
#include "data/slot.h"

namespace hob::data {

// What an error says where there are more bad samples than allowed.
std::string too_many_bad(std::uint64_t limit, const std::string& last);

// Fills slots with the micro-batches of a stream, in order, on worker threads; several share one
// micro-batch. A slot is free, or queued (being filled, or complete), or out (in a Window).
class Pipeline {
 public:
  // `options` have been checked, micro_batch <= batch_size <= size. Stands still until start().
  // Throws hob::Error where memory or threads are not to be had.
  Pipeline(const Source& source, const LoaderOptions& options, ObjectiveInstance objective,
           const Allocate& allocate);
  // Returns when the workers have ended the samples at hand.
  ~Pipeline();

  // Begins to read at a position; what was queued is dropped. No window is out.
  void start(std::uint64_t position);

  // Waits until the slot that stands `ahead` behind the queue's head is complete. The stream must
  // not end before it, and the slots that are not out must suffice for it.
  Slot& wait(std::size_t ahead);

  // The first `slots` of the queue go out as one window, and come back.
  void take(std::size_t slots) noexcept;
  void give_back(std::span<Slot* const> slots) noexcept;
  std::uint64_t windows_out() const { return windows_out_; }  // [main]

 private:
  // What a thread needs to decode.
  struct Worker {
    Source::Scratch scratch;
    std::vector<hob_view> row;
  };
  // Rows of a slot that one worker fills at a time.
  struct Chunk {
    Slot* slot;
    std::uint64_t first, end;
  };

  Worker make_worker() const;
  void start_threads();
  void work(const std::stop_token& stop, Worker& worker);

  // These three: mutex held.
  bool can_claim() const;
  void open_next();
  Chunk claim();

  // Claims a chunk (can_claim() holds) and fills it; `lock` is released meanwhile.
  void run_chunk(std::unique_lock<std::mutex>& lock, Worker& worker);
  bool fill(const Chunk& chunk, Worker& worker);
  void fill_row(Slot& slot, std::uint64_t row, Worker& worker);
  void finish(Slot& slot);
  void weigh(Slot& slot);
  void note_error(Slot& slot, std::uint64_t row, const std::string& text);
  void note_skipped(Slot& slot, Skipped skipped);

  const Source& source_;
  const LoaderOptions options_;
  const ObjectiveInstance objective_;
  const Order order_;
  const Windows windows_;
  const std::uint64_t chunk_rows_;
  std::optional<Worker> own_worker_;     // of the calling thread, where there are no threads
  std::uint64_t windows_out_ = 0;        // [main]
  std::atomic<bool> interrupted_{true};  // workers leave their chunk, and claim nothing

  std::mutex mutex_;                  // guards what follows
  std::condition_variable_any work_;  // there is something to claim
  std::condition_variable complete_;  // a slot became complete
  std::condition_variable idle_;      // no worker holds a chunk
  std::vector<std::unique_ptr<Slot>> slots_;
  std::vector<Slot*> free_;
  std::vector<Slot*> queue_;         // in the stream's order
  Slot* current_ = nullptr;          // the one of the queue with rows to give; null: none
  std::optional<WindowRange> next_;  // the window of the next slot
  std::uint64_t next_offset_ = 0;    // within that window
  std::uint64_t busy_ = 0;           // workers that hold a chunk

  std::vector<std::jthread> threads_;  // last: they end first
};

}  // namespace hob::data
