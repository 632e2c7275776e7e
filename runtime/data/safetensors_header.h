#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "data/input_file.h"
#include "data/safetensors.h"

namespace hob::data {

// The format's own bound on the header.
inline constexpr std::uint64_t kMaxHeaderBytes = 100'000'000;
// The header's length, before the header.
inline constexpr std::uint64_t kPrefixBytes = 8;
// The one name in the header that is not a tensor's.
inline constexpr std::string_view kMetadataKey = "__metadata__";

struct SafetensorsHeader {
  std::vector<StoredTensor> tensors;  // in the order of their bytes
  Metadata metadata;                  // without the aliases' note
  Aliases aliases;                    // each leads to one of `tensors`
};

// Reads and checks one file's header; `file_index` goes into the tensors. Throws Error (usage).
SafetensorsHeader read_safetensors_header(const InputFile& file, std::size_t file_index);

// The tensor's size in bytes. Throws Error (usage), beginning with `where`, if it is negative
// anywhere, or more than 2^63 - 1.
std::uint64_t checked_bytes(StoredType type, const std::vector<std::int64_t>& shape,
                            const std::string& where);

}  // namespace hob::data
