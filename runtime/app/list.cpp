#include <algorithm>
#include <iostream>
#include <map>

#include "app/commands.h"
#include "app/component_json.h"
#include "app/terminal.h"
#include "base/error.h"
#include "base/log.h"
#include "base/text.h"

namespace hob::app {
namespace {

// Kinds in the order of the recipe's tables.
std::vector<std::string> known_kinds() {
  std::vector<std::string> kinds;
  for (const std::string& id : host::component_interfaces()) {
    kinds.push_back(id.substr(id.find('.') + 1, id.find('/') - id.find('.') - 1));
  }
  return kinds;
}

std::vector<std::string> chosen_kinds(const std::optional<std::string>& kind) {
  std::vector<std::string> kinds = known_kinds();
  if (!kind) return kinds;
  if (std::find(kinds.begin(), kinds.end(), *kind) == kinds.end()) {
    throw Error(Fault::kUsage, "there is no kind of component named " + quote(*kind) + ", only " +
                                   join(kinds, ", ") + did_you_mean(*kind, kinds));
  }
  return {*kind};
}

std::vector<const recipe::ComponentSchema*> sorted_by_name(
    std::vector<const recipe::ComponentSchema*> components) {
  std::stable_sort(components.begin(), components.end(),
                   [](const auto* a, const auto* b) { return a->name < b->name; });
  return components;
}

nlohmann::json refusals_json(const host::Registry& registry) {
  nlohmann::json all = nlohmann::json::array();
  for (const host::Refusal& refusal : registry.refusals()) {
    nlohmann::json json{{"file", refusal.file.string()},
                        {"sha256", refusal.sha256},
                        {"reasons", to_json(refusal.reasons)}};
    if (refusal.descriptor) {
      json["plugin"] = refusal.descriptor->id;
      json["version"] = refusal.descriptor->version;
    }
    all.push_back(std::move(json));
  }
  return all;
}

void print_json(const session::Plugins& plugins, const std::vector<std::string>& kinds) {
  nlohmann::json components = nlohmann::json::array();
  for (const std::string& kind : kinds) {
    for (const auto* component : sorted_by_name(plugins.catalogue().of_kind(kind))) {
      const host::Plugin& plugin = *plugins.registry().find(component->plugin_id);
      components.push_back({{"kind", kind},
                            {"name", component->name},
                            {"use", plugins.catalogue().shortest_use(*component)},
                            {"summary", component->summary},
                            {"plugin", component->plugin_id},
                            {"version", component->plugin_version},
                            {"file", plugin.file.string()}});
    }
  }
  std::cout << dump({{"components", components}, {"refused", refusals_json(plugins.registry())}})
            << std::endl;
}

struct Line {
  std::string use, plugin, summary;
};

// One line a component, each kind under its name, columns aligned over all kinds.
void print_text(const session::Plugins& plugins, const std::vector<std::string>& kinds) {
  std::vector<std::pair<std::string, std::vector<Line>>> blocks;
  std::size_t use_width = 0, plugin_width = 0;
  for (const std::string& kind : kinds) {
    std::vector<Line> lines;
    for (const auto* component : sorted_by_name(plugins.catalogue().of_kind(kind))) {
      lines.push_back({plugins.catalogue().shortest_use(*component),
                       component->plugin_id + " " + component->plugin_version, component->summary});
      use_width = std::max(use_width, display_width(lines.back().use));
      plugin_width = std::max(plugin_width, display_width(lines.back().plugin));
    }
    if (!lines.empty()) blocks.emplace_back(kind, std::move(lines));
  }
  const std::size_t columns = terminal_columns();
  for (const auto& [kind, lines] : blocks) {
    std::cout << kind << '\n';
    for (const Line& line : lines) {
      const std::string head =
          "  " + padded(line.use, use_width) + "  " + padded(line.plugin, plugin_width) + "  ";
      std::cout << head << wrapped(line.summary, display_width(head), columns) << '\n';
    }
  }
  if (blocks.empty()) {
    std::cout << "none; " << plugins.catalogue().searched() << '\n';
  }
}

void print_refusals(const host::Registry& registry) {
  for (const host::Refusal& refusal : registry.refusals()) std::cout << refusal.message() << '\n';
  if (registry.refusals().empty()) std::cout << "no plugin was refused\n";
}

}  // namespace

int list_command(const CommonOptions& common, const std::optional<std::string>& kind,
                 bool refused) {
  const std::vector<std::string> kinds = chosen_kinds(kind);
  const session::Plugins plugins(host::make_search_path(common.plugin_path));
  const host::Registry& registry = plugins.registry();
  if (common.json) {
    print_json(plugins, kinds);
  } else if (refused) {
    print_refusals(registry);
  } else {
    print_text(plugins, kinds);
    if (const std::size_t count = registry.refusals().size(); count > 0) {
      log::warn(std::to_string(count) + (count == 1 ? " plugin was" : " plugins were") +
                " refused; hob list --refused says why");
    }
  }
  std::cout << std::flush;
  return 0;
}

}  // namespace hob::app
