#pragma once

#include <optional>
#include <string>

#include "recipe/host_schema.h"
#include "recipe/problems.h"
#include "recipe/tree.h"

namespace hob::recipe {

// Checks one value against its declaration: type, form, range, choices. Paths come back absolute.
// Adds what is wrong to `problems`, and returns none then. `shown` is "'lr' in [optimizer]".
std::optional<Value> check_value(const Node& node, const ParamSchema& schema, Form form,
                                 const std::string& shown, Problems& problems);

// "greater than 0 and at most 1"; "" where any value will do.
std::string range_text(const ParamSchema& schema);

}  // namespace hob::recipe
