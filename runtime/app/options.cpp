#include "app/options.h"

#include "base/log.h"
#include "host/registry.h"

namespace hob::app {

std::unique_ptr<session::Plugins> find_plugins(const CommonOptions& options) {
  auto plugins = std::make_unique<session::Plugins>(host::make_search_path(options.plugin_path));
  for (const host::Refusal& refusal : plugins->registry().refusals()) {
    log::warn(refusal.message());
  }
  return plugins;
}

}  // namespace hob::app
