#include "recipe/host_schema.h"

#include <algorithm>
#include <utility>

namespace hob::recipe {

const HostTable* find_host_table(std::string_view path) {
  const auto& tables = host_tables();
  const auto found = std::find_if(tables.begin(), tables.end(),
                                  [&](const HostTable& table) { return table.path == path; });
  return found == tables.end() ? nullptr : &*found;
}

std::vector<std::string> child_tables(const HostTable& table) {
  const std::string prefix = table.path.empty() ? "" : table.path + ".";
  std::vector<std::string> children;
  for (const HostTable& other : host_tables()) {
    if (other.path.empty() || !other.path.starts_with(prefix)) continue;
    const std::string rest = other.path.substr(prefix.size());
    if (rest.find('.') == std::string::npos) children.push_back(rest);
  }
  return children;
}

std::string shown_name(const HostTable& table) {
  if (table.path.empty()) return "the top level";
  return table.presence == Presence::kRepeated ? "[[" + table.path + "]]" : "[" + table.path + "]";
}

const HostKey* find_key(const HostTable& table, std::string_view name) {
  const auto found = std::find_if(table.keys.begin(), table.keys.end(),
                                  [&](const HostKey& key) { return key.schema.name == name; });
  return found == table.keys.end() ? nullptr : &*found;
}

std::vector<std::string> reserved_names(std::string_view kind) {
  std::vector<std::string> names{"use"};
  for (const HostTable& table : host_tables()) {
    // A group's keys stand beside its optimizer's parameters too.
    const bool takes_params = table.kind == kind || (kind == "optimizer" && table.inherits_params);
    if (!takes_params) continue;
    for (const HostKey& key : table.keys) names.push_back(key.schema.name);
    for (std::string& child : child_tables(table)) names.push_back(std::move(child));
  }
  std::sort(names.begin(), names.end());
  names.erase(std::unique(names.begin(), names.end()), names.end());
  return names;
}

}  // namespace hob::recipe
