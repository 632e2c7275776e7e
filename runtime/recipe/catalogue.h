#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "recipe/component_schema.h"

namespace hob::recipe {

// A component whose plugin the host refused: a recipe that names it fails with the reason.
struct RefusedComponent {
  ComponentSchema schema;
  std::string reason;  // what was needed, what is offered, the fix; shown to the user as it is
};

// Every component that a recipe may name. It must outlive the recipes read against it: they point
// into it.
class Catalogue {
 public:
  // `searched` is shown when a name is in no plugin: where plugins were looked for, and how to add
  // a place, as one sentence without a full stop. May be empty.
  explicit Catalogue(std::vector<ComponentSchema> components,
                     std::vector<RefusedComponent> refused = {}, std::string searched = "");
  Catalogue(const Catalogue&) = delete;
  Catalogue& operator=(const Catalogue&) = delete;

  // What `use` finds for a kind. `use` is "name" or "plugin/name", where plugin is the plugin's id
  // or its last dotted part.
  struct Match {
    const ComponentSchema* component = nullptr;     // the one match; null when none or several
    const RefusedComponent* refused = nullptr;      // set when only a refused plugin offers it
    std::vector<const ComponentSchema*> ambiguous;  // two or more plugins offer the name
  };
  Match find(std::string_view kind, std::string_view use) const;

  std::vector<const ComponentSchema*> of_kind(std::string_view kind) const;
  std::vector<std::string> names(std::string_view kind) const;  // sorted, no duplicates

  // The shortest text that `find` resolves to this component: "adamw", else "plugin/adamw".
  std::string shortest_use(const ComponentSchema& component) const;

  const std::vector<ComponentSchema>& components() const { return components_; }
  const std::string& searched() const { return searched_; }

 private:
  std::vector<ComponentSchema> components_;
  std::vector<RefusedComponent> refused_;
  std::string searched_;
};

}  // namespace hob::recipe
