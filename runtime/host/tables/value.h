#pragma once

#include <hob/abi/types.h>

#include <cstdint>
#include <deque>
#include <string>
#include <type_traits>
#include <variant>
#include <vector>

namespace hob::host {

// What the elements of arrays of strings point to.
using StringArrays = std::deque<std::vector<const char*>>;

// One of the alternatives of recipe::Value or State::Value as a value that borrows from it; arrays
// of strings need an array of pointers, which is added to `arrays`.
template <class... Types>
hob_value value_of(const std::variant<Types...>& variant, StringArrays& arrays) {
  hob_value result{};
  const auto set_array = [&](uint32_t kind, const auto& vector, auto hob_payload::*member) {
    result.kind = kind;
    result.count = static_cast<uint32_t>(vector.size());
    result.as.*member = vector.data();
  };
  std::visit(
      [&](const auto& value) {
        using Type = std::decay_t<decltype(value)>;
        if constexpr (std::is_same_v<Type, bool>) {
          result.kind = HOB_VALUE_BOOL;
          result.as.i = value ? 1 : 0;
        } else if constexpr (std::is_same_v<Type, std::int64_t>) {
          result.kind = HOB_VALUE_INT;
          result.as.i = value;
        } else if constexpr (std::is_same_v<Type, double>) {
          result.kind = HOB_VALUE_FLOAT;
          result.as.f = value;
        } else if constexpr (std::is_same_v<Type, std::string>) {
          set_array(HOB_VALUE_STRING, value, &hob_payload::s);
        } else if constexpr (std::is_same_v<Type, std::vector<std::int64_t>>) {
          set_array(HOB_VALUE_INTS, value, &hob_payload::ints);
        } else if constexpr (std::is_same_v<Type, std::vector<double>>) {
          set_array(HOB_VALUE_FLOATS, value, &hob_payload::floats);
        } else {
          static_assert(std::is_same_v<Type, std::vector<std::string>>);
          std::vector<const char*>& pointers = arrays.emplace_back();
          for (const std::string& text : value) pointers.push_back(text.c_str());
          set_array(HOB_VALUE_STRINGS, pointers, &hob_payload::strings);
        }
      },
      variant);
  return result;
}

}  // namespace hob::host
