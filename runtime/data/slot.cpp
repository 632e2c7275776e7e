#include "data/slot.h"

#include <algorithm>
#include <cstring>
#include <new>
#include <stdexcept>

#include "base/text.h"

namespace hob::data {
namespace {

Buffer allocate_slot(const Allocate& allocate, std::size_t bytes, const std::string& by) {
  Buffer memory;
  try {
    memory = allocate(bytes);
  } catch (const std::bad_alloc&) {
    throw Error(Fault::kRun,
                by + ": no memory for " + format_size_rounded(static_cast<std::int64_t>(bytes)) +
                    " of samples; lower loader.batch_size, loader.micro_batch or loader.prefetch");
  }
  if (memory == nullptr || reinterpret_cast<std::uintptr_t>(memory.get()) % kAlignment != 0) {
    throw std::logic_error("the loader's allocator gave memory that is not aligned to 64 bytes");
  }
  return memory;
}

}  // namespace

Buffer allocate_plain(std::size_t bytes) {
  constexpr std::align_val_t kAlign{kAlignment};
  return Buffer(new (kAlign) std::byte[bytes],
                [](std::byte* memory) { ::operator delete[](memory, kAlign); });
}

Slot::Slot(const Source& source, std::uint64_t capacity, std::size_t terms,
           const Allocate& allocate)
    : indices(capacity),
      left_out(capacity),
      weights(terms),
      rows_left(0),
      sample_fields_(source.fields()) {
  const std::vector<std::uint64_t> offsets = layout(sample_fields_, capacity, source.name());
  memory_ = allocate_slot(allocate, offsets.back(), source.name());
  for (std::size_t f = 0; f < sample_fields_.size(); ++f) {
    bases_.push_back(memory_.get() + offsets[f]);
    first_row_.push_back(sample_view(sample_fields_[f], bases_[f]));
    field_bytes_.push_back(field_bytes(sample_fields_[f]));
    fields.push_back({sample_fields_[f].name, batch_view(sample_fields_[f], capacity, bases_[f])});
  }
}

void Slot::open(std::uint64_t in_epoch, std::uint64_t at_offset, std::uint64_t rows) {
  epoch = in_epoch;
  offset = at_offset;
  count = rows;
  rows_left = rows;
  rows_given = 0;
  complete = false;
  skipped.clear();
  error.reset();
  std::fill(left_out.begin(), left_out.end(), std::uint8_t{0});
  std::fill(weights.begin(), weights.end(), 0.0);
}

void Slot::row_views(std::uint64_t row, std::span<hob_view> out) const {
  for (std::size_t f = 0; f < out.size(); ++f) {
    out[f] = first_row_[f];
    out[f].data = bases_[f] + row * field_bytes_[f];
  }
}

void Slot::close() {
  std::uint64_t kept = 0;
  for (std::uint64_t row = 0; row < count; ++row) {
    if (left_out[row]) continue;
    if (kept != row) {
      indices[kept] = indices[row];
      for (std::size_t f = 0; f < bases_.size(); ++f) {
        const std::uint64_t bytes = field_bytes_[f];
        std::memcpy(bases_[f] + kept * bytes, bases_[f] + row * bytes, bytes);
      }
    }
    ++kept;
  }
  count = kept;
  for (hob_named_view& field : fields) field.view.shape[0] = static_cast<std::int64_t>(count);
}

}  // namespace hob::data
