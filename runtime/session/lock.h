#pragma once

#include <string>

#include "recipe/recipe.h"
#include "session/plugins.h"

namespace hob::session {

// What exactly takes part in a run, for its lock file: versions, the plugins' hashes, the weights'
// hashes, and the data's files with their sizes and times. A folder of more than 1000 files is one
// entry: the sum of their sizes, the newest time.
recipe::Lock make_lock(const recipe::Recipe& recipe, const Plugins& plugins,
                       const std::string& hob_version);

}  // namespace hob::session
