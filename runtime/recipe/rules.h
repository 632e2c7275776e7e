#pragma once

#include "recipe/check.h"

namespace hob::recipe {

// What must hold between keys and between components: what components provide, need and exclude,
// weight decay only where it is applied, an end of the training, and the like. `tree` is what
// `root` was checked from.
void check_rules(const CheckedTable& root, const Node& tree, const Catalogue& catalogue,
                 Problems& problems);

}  // namespace hob::recipe
