#pragma once

#include <filesystem>
#include <string>

#include "session/session.h"
#include "train/event_bus.h"

namespace hob::train {

// Writes the trained model to a safetensors file: callbacks put their weights in place (EMA),
// compressions fold themselves in, tensors of floats are converted as the recipe's export.dtype
// says. The session cannot train any more afterwards. Throws Error where a value does not fit the
// type.
void export_model(session::Session& session, const Progress& progress,
                  const std::filesystem::path& path);

}  // namespace hob::train
