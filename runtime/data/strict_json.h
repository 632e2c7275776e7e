#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include <nlohmann/json.hpp>

namespace hob::data {

// What a JSON text may hold at most, so that a hostile one is refused before it fills the memory.
struct JsonLimits {
  std::size_t depth = 16;              // nested objects and arrays
  std::size_t array_items = SIZE_MAX;  // of one array
  std::size_t text_bytes = 100'000'000;
};

// Parses JSON that comes from outside. Besides what the grammar forbids (also bytes after the
// value, and strings that are not UTF-8), an object with a key twice is refused: which of the two
// would count differs from reader to reader. Throws Error (usage), beginning with `where`.
nlohmann::json parse_strict_json(std::string_view text, const std::string& where,
                                 const JsonLimits& limits = {});

}  // namespace hob::data
