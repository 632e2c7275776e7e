#pragma once

#include <memory>
#include <optional>
#include <string_view>

#include "recipe/tree.h"

namespace hob::recipe {

// Reads a TOML text. Throws hob::Error (kUsage) with the place of the first syntax error.
Node parse_toml(std::string_view text, const std::shared_ptr<const Source>& source);

// Reads one TOML value, as in `lr=1e-3`; none where the text is no TOML value.
std::optional<Node> parse_toml_value(std::string_view text, const Mark& mark);

}  // namespace hob::recipe
