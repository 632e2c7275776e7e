#pragma once

#include "recipe/problems.h"
#include "recipe/tree.h"

namespace hob::recipe {

// Puts values in place of `${a.b}` (another key of the recipe) and `${env:NAME}` in every string.
// A string that is nothing but one `${a.b}` takes the key's type too. `$${` stands for `${`. The
// value of run.dir is made absolute first, against the current folder, as every use of it means
// the same folder. What cannot be replaced goes to `problems`.
void interpolate(Node& root, Problems& problems);

}  // namespace hob::recipe
