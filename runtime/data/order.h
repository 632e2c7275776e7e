#pragma once

#include <cstdint>
#include <optional>

// Which samples an update consists of: pure functions of seed, epoch and position, the same for any
// number of threads and wherever a run was resumed.

namespace hob::data {

// The order of a dataset's samples in each epoch.
class Order {
 public:
  // Samples 0 .. size - 1, size > 0; unshuffled: every epoch is 0, 1, 2, ...
  Order(std::uint64_t size, std::uint64_t seed, bool shuffle);

  std::uint64_t size() const { return size_; }

  // The sample at `offset` < size() of an epoch. Over the offsets it is a permutation that depends
  // on seed and epoch alone; constant time and memory: a Feistel network over Z_a x Z_b with
  // a * b >= size, walked until the value lies below size (Black and Rogaway, "Ciphers with
  // Arbitrary Finite Domains", 2002). Any thread.
  std::uint64_t sample(std::uint64_t epoch, std::uint64_t offset) const;

 private:
  std::uint64_t size_;
  std::uint64_t seed_;
  bool shuffle_;
  std::uint64_t left_;   // a, about the square root of size
  std::uint64_t right_;  // b
};

// The samples of one update: [offset, offset + count) of the epoch's order.
struct WindowRange {
  std::uint64_t epoch = 0;
  std::uint64_t offset = 0;
  std::uint64_t count = 0;

  bool operator==(const WindowRange&) const = default;
};

// How epochs are cut into updates. A position counts samples of the whole: epoch * size + offset.
class Windows {
 public:
  // epochs = 0: without end.
  Windows(std::uint64_t size, std::uint64_t batch_size, bool drop_last, std::uint64_t epochs);

  // The window that begins at a position, which may be any: a window holds batch_size samples or
  // what is left of the epoch; with drop_last, too short a rest is passed over. None at the end.
  std::optional<WindowRange> at(std::uint64_t position) const;

  // The position after a window: where the next one begins.
  std::uint64_t after(const WindowRange& window) const {
    return window.epoch * size_ + window.offset + window.count;
  }

  // Of an epoch from its beginning: rounded up, or down with drop_last.
  std::uint64_t updates_per_epoch() const;

 private:
  std::uint64_t size_;
  std::uint64_t batch_size_;
  bool drop_last_;
  std::uint64_t epochs_;
};

}  // namespace hob::data
