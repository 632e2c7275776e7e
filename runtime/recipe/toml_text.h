#pragma once

#include <string>
#include <string_view>

#include "recipe/component_schema.h"

namespace hob::recipe {

// Values as TOML writes them, so that a reader gets the very same value back.

// "0.001", "1.0", "inf": always recognisably a float.
std::string toml_float(double value);

// A basic string with its quotes and escapes. `${`, which a recipe would interpolate, is written
// as `$${`.
std::string toml_string(std::string_view text);

std::string toml_value(const Value& value);

}  // namespace hob::recipe
