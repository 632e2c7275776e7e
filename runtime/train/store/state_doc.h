#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <map>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

namespace hob::train {

using Bytes = std::vector<std::byte>;

// A value of a component's state. It comes back as the same alternative, bit for bit: NaN (with its
// payload), infinities and -0.0 included.
using StateValue =
    std::variant<std::int64_t, std::uint64_t, double, std::string, std::vector<std::int64_t>,
                 std::vector<std::uint64_t>, std::vector<double>, std::vector<std::string>, Bytes>;

// Named values: what `state.json` of a checkpoint holds. Strings are UTF-8; other text goes as
// Bytes.
using StateDoc = std::map<std::string, StateValue>;

// {"format":1,"state":{"name":{"<type>":value}}}, types i64 u64 f64 str, i64s u64s f64s strs, bytes
// (hex). Equal documents give equal text. Throws Error (run) for a string that is not UTF-8.
std::string format_state(const StateDoc& doc);

// Throws Error (run), beginning with `where`, for anything that format_state does not write.
StateDoc parse_state(std::string_view text, const std::string& where);

// The same through a file; written beside, synced and renamed. Throws Error (run).
void write_state(const std::filesystem::path& path, const StateDoc& doc);
StateDoc read_state(const std::filesystem::path& path);

// Throws Error (run): the state has no value of that name, or one of another type.
[[noreturn]] void throw_no_state_value(const StateDoc& doc, const std::string& name);

// The value of that name and type.
template <typename T>
const T& state_value(const StateDoc& doc, const std::string& name) {
  auto it = doc.find(name);
  const T* value = it == doc.end() ? nullptr : std::get_if<T>(&it->second);
  if (value == nullptr) throw_no_state_value(doc, name);
  return *value;
}

}  // namespace hob::train
