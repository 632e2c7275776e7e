#pragma once

#include "recipe/check.h"
#include "recipe/recipe.h"

namespace hob::recipe {

// The typed recipe of a tree that was checked without problems.
Recipe resolve_recipe(const CheckedTable& root, const Catalogue& catalogue);

}  // namespace hob::recipe
