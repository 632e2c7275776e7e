#pragma once

#include <optional>
#include <string>

#include "recipe/recipe.h"
#include "session/session.h"
#include "train/snapshot.h"
#include "train/store/checkpoint_store.h"

namespace hob::app {

// A run's recipe as its lock file holds it, with overrides; run.dir is the folder itself.
recipe::Recipe load_run(const std::filesystem::path& run_dir,
                        const std::vector<std::string>& overrides, const session::Plugins& plugins);

// The checkpoint that `which` names: "latest", "best" or a number; none: the newest that is whole.
// Throws Error where there is none.
train::Checkpoint choose_checkpoint(const train::CheckpointStore& store,
                                    const std::optional<std::string>& which,
                                    const recipe::Recipe& recipe);

// Trains to the end in a folder that is ready, exports what the recipe asks for, says how it went.
int train_and_report(session::Session& session, train::CheckpointStore& store,
                     const std::optional<train::RunState>& from, bool json);

}  // namespace hob::app
