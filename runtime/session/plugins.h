#pragma once

#include <map>
#include <memory>
#include <string>

#include "host/registry.h"
#include "host/tables/instance.h"
#include "recipe/catalogue.h"
#include "recipe/recipe.h"

namespace hob::session {

// The plugins of this process: found and vetted once, each loaded when a component of it is first
// made. Main thread.
class Plugins {
 public:
  explicit Plugins(const host::SearchPath& path);

  const host::Registry& registry() const { return registry_; }
  const recipe::Catalogue& catalogue() const { return catalogue_; }

  // Makes an instance of a recipe's component, loading its plugin where that is the first one.
  // `name` is as in the recipe, "callback.0".
  std::unique_ptr<host::Instance> make(const recipe::Component& component, const std::string& name,
                                       uint64_t run_seed, host::World* world);

  // What the lock file says of the plugins that these components come from.
  std::vector<recipe::LockedPlugin> lock(const recipe::Recipe& recipe) const;

 private:
  const hob_component& find_component(const recipe::ComponentSchema& schema);

  host::Registry registry_;
  recipe::Catalogue catalogue_;
  std::map<std::string, const hob_plugin*> loaded_;  // by plugin id
};

}  // namespace hob::session
