#pragma once

#include "app/options.h"

namespace CLI {
class App;
}

namespace hob::app {

// Adds the commands about plugins: list, describe, new, verify. They put their exit code into
// `code`. `common` and `code` outlive the program's parsing.
void add_plugin_commands(CLI::App& program, const CommonOptions& common, int& code);

}  // namespace hob::app
