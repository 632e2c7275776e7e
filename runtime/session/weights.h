#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "data/torch/tensor_file.h"
#include "host/tables/world.h"

namespace hob::session {

// Puts the weights of a file into the model by name, converted to each parameter's type. Parameters
// that match a pattern of `reset` keep their first values. Throws Error (usage) that lists what the
// file lacks or has in another shape; what it has beyond the model is logged.
void load_model_weights(const std::filesystem::path& path, const std::vector<std::string>& reset,
                        host::World& world);

// The model's parameters and buffers as a file holds them: on the CPU, tied ones once. `copy` makes
// copies that later training does not change; without it CPU tensors are the model's own.
struct ModelWeights {
  data::NamedTensors tensors;
  data::Aliases aliases;
};
ModelWeights collect_weights(host::World& world, bool copy);

}  // namespace hob::session
