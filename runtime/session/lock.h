#pragma once

#include <string>

#include "recipe/recipe.h"
#include "session/plugins.h"

namespace hob::session {

// What exactly takes part in a run, for its lock file: versions, the plugins' hashes, the weights'
// hashes, and the data's files with their sizes and times. A folder of more than 1000 files is one
// entry: the sum of their sizes, the newest time. `before` is a resumed run's former lock: its
// weights were read when it began, and need not be there any more.
recipe::Lock make_lock(const recipe::Recipe& recipe, const Plugins& plugins,
                       const std::string& hob_version, const recipe::Lock* before = nullptr);

// Logs a warning for each part that is another than it was: hob, LibTorch, plugins, weights, data.
// Nothing is said where `before` is empty.
void compare_locks(const recipe::Lock& before, const recipe::Lock& after);

}  // namespace hob::session
