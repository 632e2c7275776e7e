#pragma once

#include <algorithm>
#include <stdexcept>
#include <string>
#include <vector>

#include "recipe/recipe.h"

namespace hob::recipe {

// The names in a recipe of an enum's values, in the enum's order.
template <class Enum>
std::vector<std::string> enum_names();

template <>
inline std::vector<std::string> enum_names<OnBadSample>() {
  return {"fail", "skip"};
}
template <>
inline std::vector<std::string> enum_names<OnNonfinite>() {
  return {"fail", "skip"};
}
template <>
inline std::vector<std::string> enum_names<BestMode>() {
  return {"auto", "min", "max"};
}

template <class Enum>
std::string enum_name(Enum value) {
  return enum_names<Enum>().at(static_cast<std::size_t>(value));
}

template <class Enum>
Enum enum_value(const std::string& name) {
  const std::vector<std::string> names = enum_names<Enum>();
  const auto found = std::find(names.begin(), names.end(), name);
  if (found == names.end()) throw std::logic_error("no such choice: " + name);
  return static_cast<Enum>(found - names.begin());
}

}  // namespace hob::recipe
