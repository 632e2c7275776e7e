#pragma once

#include <hob/abi/dataset.h>

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

// The arrays that a sample consists of, and how they lie in memory: row-major, each array on its
// own 64-byte boundary.

namespace hob::data {

inline constexpr std::size_t kAlignment = 64;  // bytes

// Bytes of an element; 0 for a number that is no hob_dtype.
std::size_t dtype_size(std::uint32_t dtype);

// Bytes of one sample's field that has passed check_fields.
std::uint64_t field_bytes(const hob_field& field);

// Checks what a plugin says of a sample's fields: names, element types, shapes, sizes, classes.
// Throws hob::Error (kPlugin) that begins with `by`, the plugin's instance.
void check_fields(std::span<const hob_field> fields, const std::string& by);

// Where each field of `count` samples begins when they lie in one piece of memory, and how long it
// is: one offset more than fields. Throws hob::Error (kUsage) that begins with `by` where it is
// longer than memory can be.
std::vector<std::uint64_t> layout(std::span<const hob_field> fields, std::uint64_t count,
                                  const std::string& by);

// One sample's field: its own shape.
hob_view sample_view(const hob_field& field, void* data);

// The field of `count` samples: (count, ...). The field's rank is below 8.
hob_view batch_view(const hob_field& field, std::uint64_t count, void* data);

}  // namespace hob::data
