#pragma once

#include <span>
#include <string>
#include <vector>

#include "recipe/catalogue.h"
#include "recipe/problems.h"
#include "recipe/tree.h"

namespace hob::recipe {

// Applies the command line's overrides to a tree: `a.b=v` sets, `+a.b=v` adds a key that is not
// there yet or appends to an array, `~a.b` deletes. An element of an array of tables is named by
// its index from 0, or by its `use` where only one has it. Values are TOML; what is no TOML value
// is a string. Those that set `use` come first, so that the others may set the new component's
// keys. What cannot be applied goes to `problems`.
void apply_overrides(Node& root, std::span<const std::string> overrides, const Catalogue& catalogue,
                     std::vector<std::string>* notices, Problems& problems);

}  // namespace hob::recipe
