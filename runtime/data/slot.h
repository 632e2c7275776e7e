#pragma once

#include <atomic>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "base/error.h"
#include "data/loader.h"

namespace hob::data {

// A bad sample that was passed over while a row was filled.
struct Skipped {
  std::uint64_t row = 0;
  std::uint64_t index = 0;  // in the dataset
  std::string text;
};

// Memory for one micro-batch, and what is known of it while workers fill it. The pipeline says who
// may touch it when: its mutex guards what is marked so; a row's memory, index and mark belong to
// the worker that fills it; the rest to whoever finished the last row, and to the main thread once
// it is complete.
struct Slot {
  // Room for `capacity` samples of the source and for `terms` weights.
  Slot(const Source& source, std::uint64_t capacity, std::size_t terms, const Allocate& allocate);

  // Makes it ready for the rows [offset, offset + count) of an epoch's order.
  void open(std::uint64_t in_epoch, std::uint64_t at_offset, std::uint64_t rows);

  // Views of one row, one a field.
  void row_views(std::uint64_t row, std::span<hob_view> out) const;

  // Moves the rows that stay together, and sets the views to their number.
  void close();

  MicroBatch micro_batch() const { return {count, fields, {indices.data(), count}, weights}; }

  std::uint64_t epoch = 0;
  std::uint64_t offset = 0;
  std::uint64_t count = 0;               // rows; after close() without those left out
  std::vector<std::uint64_t> indices;    // one a row
  std::vector<std::uint8_t> left_out;    // one a row, 1: not part of the batch
  std::vector<hob_named_view> fields;    // of the whole batch, after close()
  std::vector<double> weights;           // one a term
  std::atomic<std::uint64_t> rows_left;  // not yet filled

  // Guarded by the pipeline's mutex.
  std::uint64_t rows_given = 0;  // to workers
  bool complete = false;
  std::vector<Skipped> skipped;  // in no order
  std::optional<Error> error;    // of the lowest row that has one
  std::uint64_t error_row = 0;

 private:
  std::span<const hob_field> sample_fields_;
  Buffer memory_;
  std::vector<std::byte*> bases_;           // of each field
  std::vector<hob_view> first_row_;         // one a field
  std::vector<std::uint64_t> field_bytes_;  // of one sample
};

}  // namespace hob::data
