#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "session/plugins.h"

namespace hob::app {

// What every command takes.
struct CommonOptions {
  std::vector<std::filesystem::path> plugin_path;  // --plugin-path
  bool json = false;                               // --json: results for scripts on stdout
};

// The plugins along the search path. Those that were refused are told to the log.
std::unique_ptr<session::Plugins> find_plugins(const CommonOptions& options);

}  // namespace hob::app
