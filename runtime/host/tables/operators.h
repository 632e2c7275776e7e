#pragma once

#include <string>
#include <vector>

namespace hob::host {

// What is wrong with the operators that a plugin uses, given the schema texts of its descriptor:
// one sentence for each operator that this LibTorch lacks, or has changed so that calls made for
// the old schema are no longer right (LibTorch's own rule of backward compatibility). To be asked
// before the plugin is loaded.
std::vector<std::string> incompatible_operators(const std::vector<std::string>& schemas);

}  // namespace hob::host
