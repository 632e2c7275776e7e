#pragma once

#include <functional>
#include <string>

#include "host/registry.h"
#include "recipe/component_schema.h"

struct hob_component;
struct hob_error;
struct hob_host;
struct hob_plugin;

namespace hob::host {

// What loading needs from the host's tables.
struct LoadContext {
  const hob_host* host = nullptr;
  // Returns the text of an error that a plugin handed over, and frees it.
  std::function<std::string(hob_error*)> take_error;
  // Checks the functions that a component of this kind must have beyond create and destroy; returns
  // what is wrong, or "".
  std::function<std::string(const recipe::ComponentSchema&, const hob_component&)> check_component;
};

// Loads a plugin, calls its entry and checks the table that it returns against its descriptor:
// component i of the table is component i of the descriptor. The table lives until the process
// ends, as does the library, which is never unloaded: autograd nodes, hooks and deleters may hold
// its code. All symbols are bound at once and stay local.
//
// To be called once for a plugin. Throws hob::Error (kPlugin) with the plugin, its file and the
// loader's own text, or what the entry threw. Where a static constructor of the plugin throws,
// nothing can be saved: the process ends with the exit code of kPlugin, and says so on stderr.
const hob_plugin* load_library(const Plugin& plugin, const LoadContext& context);

}  // namespace hob::host
