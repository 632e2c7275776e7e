#include <algorithm>
#include <iostream>

#include "app/commands.h"
#include "app/component_json.h"
#include "app/terminal.h"
#include "base/error.h"
#include "base/text.h"
#include "recipe/check_value.h"
#include "recipe/toml_text.h"

namespace hob::app {
namespace {

namespace fs = std::filesystem;

// A plugin's file with the components of it that were asked for.
struct Described {
  const fs::path* file;
  const std::string* sha256;
  const host::PluginDescriptor* descriptor;
  const host::Refusal* refusal = nullptr;  // null for a plugin that may be used
  std::vector<const recipe::ComponentSchema*> components;
};

std::vector<Described> all_plugins(const host::Registry& registry, bool refused) {
  std::vector<Described> all;
  if (!refused) {
    for (const host::Plugin& plugin : registry.plugins()) {
      all.push_back({&plugin.file, &plugin.sha256, &plugin.descriptor, nullptr, {}});
    }
    return all;
  }
  for (const host::Refusal& refusal : registry.refusals()) {
    if (!refusal.descriptor) continue;
    all.push_back({&refusal.file, &refusal.sha256, &*refusal.descriptor, &refusal, {}});
  }
  return all;
}

// A component is asked for by its name, by kind/name or plugin/name, or with all others of its
// plugin by the plugin's id.
bool is_asked_for(const recipe::ComponentSchema& component, std::string_view query) {
  const std::string& id = component.plugin_id;
  const std::size_t slash = query.find('/');
  if (slash == std::string_view::npos) return query == component.name || query == id;
  const std::string_view owner = query.substr(0, slash);
  return query.substr(slash + 1) == component.name &&
         (owner == component.kind || owner == id || owner == id.substr(id.rfind('.') + 1));
}

std::vector<Described> find_by_name(const host::Registry& registry, const std::string& query) {
  for (const bool refused : {false, true}) {
    std::vector<Described> found = all_plugins(registry, refused);
    for (Described& plugin : found) {
      for (const auto& component : plugin.descriptor->components) {
        if (is_asked_for(component, query)) plugin.components.push_back(&component);
      }
    }
    std::erase_if(found, [](const Described& plugin) { return plugin.components.empty(); });
    if (!found.empty()) return found;
  }
  return {};
}

[[noreturn]] void refuse_unknown(const session::Plugins& plugins, const std::string& query) {
  const bool with_owner = query.find('/') != std::string::npos;
  std::vector<std::string> candidates;
  for (const bool refused : {false, true}) {
    for (const Described& plugin : all_plugins(plugins.registry(), refused)) {
      for (const auto& c : plugin.descriptor->components) {
        candidates.push_back(with_owner ? c.kind + "/" + c.name : c.name);
      }
      if (!with_owner) candidates.push_back(plugin.descriptor->id);
    }
  }
  throw Error(Fault::kUsage, "no component or plugin is named " + quote(query) + "; " +
                                 plugins.catalogue().searched() + did_you_mean(query, candidates));
}

bool names_a_file(const std::string& query) {
  std::error_code ignored;
  return query.ends_with(".so") || fs::is_regular_file(query, ignored);
}

Described open_file(const host::Registry& registry) {
  for (const bool refused : {false, true}) {
    for (Described& plugin : all_plugins(registry, refused)) {
      for (const auto& c : plugin.descriptor->components) plugin.components.push_back(&c);
      return plugin;
    }
  }
  throw Error(Fault::kPlugin, registry.refusals().at(0).message());
}

nlohmann::json plugin_json(const Described& plugin) {
  const host::PluginDescriptor& d = *plugin.descriptor;
  nlohmann::json json{{"plugin", d.id},
                      {"version", d.version},
                      {"sdk", {d.sdk_major, d.sdk_minor}},
                      {"tier", d.tier == host::Tier::kNative ? "native" : "stable"},
                      {"file", plugin.file->string()},
                      {"sha256", *plugin.sha256},
                      {"interfaces", d.host_interfaces},
                      {"operators", d.operator_schemas},
                      {"components", nlohmann::json::array()}};
  if (d.torch) {
    json["torch"] = {{"version", d.torch->version},
                     {"git", d.torch->git},
                     {"cuda", d.torch->cuda},
                     {"cxx11_abi", d.torch->cxx11_abi}};
  }
  if (plugin.refusal) json["refused"] = to_json(plugin.refusal->reasons);
  for (const auto* component : plugin.components) json["components"].push_back(to_json(*component));
  return json;
}

// Writes lines of a label and a text that is wrapped beside it.
class Writer {
 public:
  void line(const std::string& label, const std::string& text) const {
    constexpr std::size_t kLabelWidth = 12;
    if (text.empty()) return;
    const std::string head = "  " + padded(label, kLabelWidth);
    std::cout << head << wrapped(text, head.size(), columns_) << '\n';
  }
  void text(std::size_t indent, const std::string& text) const {
    if (text.empty()) return;
    std::cout << std::string(indent, ' ') << wrapped(text, indent, columns_) << '\n';
  }

 private:
  const std::size_t columns_ = terminal_columns();
};

std::string torch_text(const host::TorchBuild& torch) {
  return torch.version + " " + torch.git.substr(0, 12) +
         (torch.cuda.empty() ? ", without CUDA" : ", CUDA " + torch.cuda) +
         (torch.cxx11_abi == 1 ? "" : ", the old C++ ABI");
}

void print_plugin(const Writer& out, const Described& plugin, bool operators) {
  const host::PluginDescriptor& d = *plugin.descriptor;
  std::cout << "plugin " << d.id << ' ' << d.version << '\n';
  out.line("file", plugin.file->string());
  out.line("sha256", *plugin.sha256);
  out.line("made for", "SDK " + std::to_string(d.sdk_major) + "." + std::to_string(d.sdk_minor) +
                           (d.torch ? ", LibTorch " + torch_text(*d.torch)
                                    : ", any LibTorch that hob runs on"));
  out.line("calls", join(d.host_interfaces, ", "));
  const std::size_t count = d.operator_schemas.size();
  if (count > 0 && !operators) {
    out.line("operators", std::to_string(count) + "; --operators lists them");
  } else if (count > 0) {
    out.line("operators", std::to_string(count));
    for (const std::string& schema : d.operator_schemas) out.text(4, schema);
  }
  if (plugin.refusal) out.line("refused", "this hob does not use it:");
  for (const host::Reason& reason :
       plugin.refusal ? plugin.refusal->reasons : std::vector<host::Reason>()) {
    out.text(4, "needs " + reason.needs + ", but " + reason.but + ": " + reason.fix);
  }
}

std::string default_text(const recipe::ParamSchema& param) {
  const auto* bytes = std::get_if<std::int64_t>(&*param.default_value);
  if (param.type == recipe::ParamType::kSize && bytes) {
    return recipe::toml_string(format_size(*bytes));
  }
  return recipe::toml_value(*param.default_value);
}

void print_param(const Writer& out, const recipe::ParamSchema& param) {
  std::vector<std::string> facts{type_name(param.type)};
  if (!param.default_value) facts.emplace_back("required");
  if (!param.unit.empty()) facts.push_back("in " + param.unit);
  if (param.min || param.max) facts.push_back(recipe::range_text(param));
  if (!param.choices.empty()) facts.push_back("one of " + quote_all(param.choices));
  if (!param.numerics) facts.emplace_back("does not change the trained weights");
  if (param.may_change_on_resume) facts.emplace_back("may change on resume");
  const std::string name =
      param.name + (param.default_value ? " = " + default_text(param) : std::string());
  out.text(2, name);
  out.text(6, join(facts, ", "));
  out.text(6, param.help);
}

void print_component(const Writer& out, const recipe::ComponentSchema& component) {
  out.text(0, component.kind + " " + component.name +
                  (component.summary.empty() ? "" : ": " + component.summary));
  out.line("interface", component.interface);
  out.line("traits", join(component.traits, ", "));
  out.line("provides", join(component.provides, ", "));
  out.line("needs", join(component.needs, ", "));
  out.line("conflicts", join(component.conflicts, ", "));
  std::cout << (component.params.empty() ? "no parameters\n" : "parameters\n");
  for (const recipe::ParamSchema& param : component.params) print_param(out, param);
}

void print(const std::vector<Described>& plugins, bool json, bool operators) {
  if (json) {
    nlohmann::json all = nlohmann::json::array();
    for (const Described& plugin : plugins) all.push_back(plugin_json(plugin));
    std::cout << dump({{"plugins", all}}) << std::endl;
    return;
  }
  const Writer out;
  bool first = true;
  for (const Described& plugin : plugins) {
    if (!std::exchange(first, false)) std::cout << '\n';
    print_plugin(out, plugin, operators);
    for (const auto* component : plugin.components) {
      std::cout << '\n';
      print_component(out, *component);
    }
  }
  std::cout << std::flush;
}

}  // namespace

int describe_command(const CommonOptions& common, const std::string& query, bool operators) {
  if (names_a_file(query)) {
    std::error_code ignored;
    if (!fs::exists(query, ignored)) {
      throw Error(Fault::kUsage, "there is no file " + quote(query) +
                                     "; give a plugin's .so file, or a component's name");
    }
    const session::Plugins plugins({{query}, {}});
    print({open_file(plugins.registry())}, common.json, operators);
    return 0;
  }
  const session::Plugins plugins(host::make_search_path(common.plugin_path));
  const std::vector<Described> found = find_by_name(plugins.registry(), query);
  if (found.empty()) refuse_unknown(plugins, query);
  print(found, common.json, operators);
  return 0;
}

}  // namespace hob::app
