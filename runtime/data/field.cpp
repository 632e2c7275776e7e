#include "data/field.h"

#include <algorithm>
#include <cstring>
#include <limits>
#include <string_view>

#include "base/error.h"
#include "base/text.h"

namespace hob::data {
namespace {

constexpr std::uint32_t kMaxRank = 8;
constexpr std::size_t kMaxName = 255;
// A limit that no real sample meets, far from overflow however the sizes are added up.
constexpr std::int64_t kMaxBytes = std::int64_t{1} << 48;

[[noreturn]] void reject(const std::string& by, const std::string& found,
                         const std::string& expected) {
  throw Error(Fault::kPlugin, by + ": " + found + "; " + expected +
                                  ". The plugin is at fault: its author must correct it");
}

bool holds_labels(std::uint32_t dtype) {
  return dtype == HOB_UINT8 || dtype == HOB_INT32 || dtype == HOB_INT64;
}

void check_name(const hob_field& field, std::size_t position, const std::string& by) {
  const std::size_t length = field.name == nullptr ? 0 : strnlen(field.name, kMaxName + 1);
  if (length == 0 || length > kMaxName) {
    reject(by,
           "field " + std::to_string(position) + " has " + (length ? "too long a" : "no") + " name",
           "a name has 1 to " + std::to_string(kMaxName) + " bytes");
  }
}

void check_shape(const hob_field& field, const std::string& what, const std::string& by) {
  if (field.rank > kMaxRank) {
    reject(by, what + " has " + std::to_string(field.rank) + " dimensions",
           "at most " + std::to_string(kMaxRank) + " are possible");
  }
  auto bytes = static_cast<std::int64_t>(dtype_size(field.dtype));
  for (std::uint32_t i = 0; i < field.rank; ++i) {
    const std::string size = std::to_string(field.shape[i]);
    if (field.shape[i] < 1) {
      reject(by, what + " has " + size + " elements in dimension " + std::to_string(i),
             "there must be at least 1");
    }
    if (__builtin_mul_overflow(bytes, field.shape[i], &bytes) || bytes > kMaxBytes) {
      reject(by, what + " has " + size + " elements in dimension " + std::to_string(i),
             "a sample may have " + format_size(kMaxBytes) + " at most");
    }
  }
}

void check_classes(const hob_field& field, const std::string& what, const std::string& by) {
  if (field.classes < 0) {
    reject(by, what + " has " + std::to_string(field.classes) + " classes",
           "it must be their number, or 0 for what is no class label");
  }
  if (field.classes > 0 && !holds_labels(field.dtype)) {
    reject(by, what + " has classes, and the element type " + std::to_string(field.dtype),
           "class labels are uint8, int32 or int64");
  }
}

void append(hob_view& view, std::int64_t size) {
  view.shape[view.rank++] = size;
}

void set_strides(hob_view& view) {
  std::int64_t stride = 1;
  for (std::uint32_t i = view.rank; i-- > 0;) {
    view.stride[i] = stride;
    stride *= view.shape[i];
  }
}

}  // namespace

std::size_t dtype_size(std::uint32_t dtype) {
  switch (dtype) {
    case HOB_UINT8:
    case HOB_INT8:
    case HOB_BOOL:
    case HOB_FLOAT8_E5M2:
    case HOB_FLOAT8_E4M3FN:
      return 1;
    case HOB_INT16:
    case HOB_FLOAT16:
    case HOB_BFLOAT16:
      return 2;
    case HOB_INT32:
    case HOB_FLOAT32:
      return 4;
    case HOB_INT64:
    case HOB_FLOAT64:
      return 8;
    default:
      return 0;
  }
}

std::uint64_t field_bytes(const hob_field& field) {
  std::uint64_t bytes = dtype_size(field.dtype);
  for (std::uint32_t i = 0; i < field.rank; ++i)
    bytes *= static_cast<std::uint64_t>(field.shape[i]);
  return bytes;
}

void check_fields(std::span<const hob_field> fields, const std::string& by) {
  if (fields.empty()) reject(by, "a sample has no fields", "it must have at least 1");
  for (std::size_t i = 0; i < fields.size(); ++i) {
    const hob_field& field = fields[i];
    check_name(field, i, by);
    const std::string what = "field " + quote(field.name);
    const auto same = [&](const hob_field& other) {
      return std::string_view(other.name) == field.name;
    };
    if (std::any_of(fields.begin(), fields.begin() + static_cast<std::ptrdiff_t>(i), same)) {
      reject(by, what + " comes twice", "names must differ");
    }
    if (dtype_size(field.dtype) == 0) {
      reject(by, what + " has the element type " + std::to_string(field.dtype),
             "it must be a hob_dtype");
    }
    check_shape(field, what, by);
    check_classes(field, what, by);
  }
}

std::vector<std::uint64_t> layout(std::span<const hob_field> fields, std::uint64_t count,
                                  const std::string& by) {
  constexpr std::uint64_t kMax = std::numeric_limits<std::int64_t>::max() - kAlignment;
  std::vector<std::uint64_t> offsets{0};
  for (const hob_field& field : fields) {
    std::uint64_t end = 0;
    if (__builtin_mul_overflow(field_bytes(field), count, &end) ||
        __builtin_add_overflow(end, offsets.back(), &end) || end > kMax) {
      throw Error(Fault::kUsage, by + ": " + std::to_string(count) +
                                     " samples are more than memory can hold; lower "
                                     "loader.batch_size or loader.micro_batch");
    }
    offsets.push_back((end + kAlignment - 1) / kAlignment * kAlignment);
  }
  return offsets;
}

hob_view sample_view(const hob_field& field, void* data) {
  hob_view view{};
  view.data = data;
  view.dtype = field.dtype;
  for (std::uint32_t i = 0; i < field.rank; ++i) append(view, field.shape[i]);
  set_strides(view);
  return view;
}

hob_view batch_view(const hob_field& field, std::uint64_t count, void* data) {
  hob_view view{};
  view.data = data;
  view.dtype = field.dtype;
  append(view, static_cast<std::int64_t>(count));
  for (std::uint32_t i = 0; i < field.rank; ++i) append(view, field.shape[i]);
  set_strides(view);
  return view;
}

}  // namespace hob::data
