#include "recipe/catalogue.h"

#include <algorithm>
#include <utility>

namespace hob::recipe {
namespace {

bool names_plugin(std::string_view plugin, const ComponentSchema& component) {
  const std::string_view id = component.plugin_id;
  return plugin == id || plugin == id.substr(id.rfind('.') + 1);
}

bool answers_to(const ComponentSchema& component, std::string_view kind, std::string_view use) {
  if (component.kind != kind) return false;
  const std::size_t slash = use.find('/');
  if (slash == std::string_view::npos) return component.name == use;
  return component.name == use.substr(slash + 1) && names_plugin(use.substr(0, slash), component);
}

}  // namespace

Catalogue::Catalogue(std::vector<ComponentSchema> components, std::vector<RefusedComponent> refused,
                     std::string searched)
    : components_(std::move(components)),
      refused_(std::move(refused)),
      searched_(std::move(searched)) {}

Catalogue::Match Catalogue::find(std::string_view kind, std::string_view use) const {
  std::vector<const ComponentSchema*> found;
  for (const ComponentSchema& component : components_) {
    if (answers_to(component, kind, use)) found.push_back(&component);
  }
  Match match;
  if (found.size() == 1) match.component = found.front();
  if (found.size() > 1) match.ambiguous = std::move(found);
  if (!found.empty()) return match;
  for (const RefusedComponent& refused : refused_) {
    if (answers_to(refused.schema, kind, use)) match.refused = &refused;
  }
  return match;
}

std::vector<const ComponentSchema*> Catalogue::of_kind(std::string_view kind) const {
  std::vector<const ComponentSchema*> found;
  for (const ComponentSchema& component : components_) {
    if (component.kind == kind) found.push_back(&component);
  }
  return found;
}

std::vector<std::string> Catalogue::names(std::string_view kind) const {
  std::vector<std::string> names;
  for (const ComponentSchema* component : of_kind(kind)) names.push_back(component->name);
  std::sort(names.begin(), names.end());
  names.erase(std::unique(names.begin(), names.end()), names.end());
  return names;
}

std::string Catalogue::shortest_use(const ComponentSchema& component) const {
  const std::string& id = component.plugin_id;
  const std::string with_last_part = id.substr(id.rfind('.') + 1) + "/" + component.name;
  for (const std::string& use : {component.name, with_last_part}) {
    if (find(component.kind, use).component == &component) return use;
  }
  return id + "/" + component.name;
}

}  // namespace hob::recipe
