#include "session/plugins.h"

#include <hob/abi/types.h>

#include <set>
#include <string_view>

#include "base/error.h"
#include "host/library.h"
#include "host/tables/operators.h"

namespace hob::session {
namespace {

host::HostOffer offer() {
  return {HOB_ABI_MAJOR,           HOB_ABI_MINOR,       host::component_interfaces(),
          host::host_interfaces(), host::torch_build(), host::incompatible_operators};
}

}  // namespace

Plugins::Plugins(const host::SearchPath& path)
    : registry_(path, offer()),
      catalogue_(registry_.catalogue(), registry_.refused_components(), path.text()) {}

std::unique_ptr<host::Instance> Plugins::make(const recipe::Component& component,
                                              const std::string& name, uint64_t run_seed,
                                              host::World* world) {
  const hob_component& found = find_component(*component.schema);
  return std::make_unique<host::Instance>(found.table, component.schema->name, name, run_seed,
                                          world, component.params);
}

const hob_component& Plugins::find_component(const recipe::ComponentSchema& schema) {
  const hob_plugin*& plugin = loaded_[schema.plugin_id];
  if (!plugin) {
    const host::Plugin* vetted = registry_.find(schema.plugin_id);
    plugin =
        host::load_library(*vetted, {host::host_table(), host::take_error, host::check_component});
  }
  for (uint32_t i = 0; i < plugin->n_components; ++i) {
    const hob_component& c = *plugin->components[i];
    if (schema.kind == c.kind && schema.name == c.name) return c;
  }
  throw Error(Fault::kPlugin, "plugin '" + schema.plugin_id + "' does not hold the " + schema.kind +
                                  " '" + schema.name + "' that its descriptor lists");
}

std::vector<recipe::LockedPlugin> Plugins::lock(const recipe::Recipe& recipe) const {
  std::vector<recipe::LockedPlugin> result;
  std::set<std::string> seen;
  for (const recipe::Component* component : recipe.components()) {
    if (!seen.insert(component->schema->plugin_id).second) continue;
    const host::Plugin* plugin = registry_.find(component->schema->plugin_id);
    result.push_back(
        {plugin->descriptor.id, plugin->descriptor.version, plugin->file.string(), plugin->sha256});
  }
  return result;
}

}  // namespace hob::session
