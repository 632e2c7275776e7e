#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "host/compatibility.h"
#include "host/descriptor.h"
#include "recipe/catalogue.h"
#include "recipe/component_schema.h"

namespace hob::host {

// Where plugins are looked for, in this order; of two files with the same plugin id the first one
// counts. An entry is a folder (its *.so, by name, not its sub-folders) or a single file.
struct SearchPath {
  std::vector<std::filesystem::path> explicit_entries;  // --plugin-path: each must exist
  std::vector<std::filesystem::path> other_entries;  // HOB_PLUGIN_PATH, then the installed folder

  // Where was looked and how to add a place, for the error of a name that no plugin offers.
  std::string text() const;
};

// Adds the entries of HOB_PLUGIN_PATH (separated by ':') and ../lib/hob/plugins beside the program.
SearchPath make_search_path(std::vector<std::filesystem::path> explicit_entries);

// A plugin that this hob can serve. None of its code has run.
struct Plugin {
  std::filesystem::path file;  // absolute, as found (not resolved through symlinks)
  std::string sha256;          // of the file, 64 hex digits
  PluginDescriptor descriptor;
};

// A file that is not used, and why. None of its code has run.
struct Refusal {
  std::filesystem::path file;
  std::string sha256;                          // "" when the file could not be read
  std::optional<PluginDescriptor> descriptor;  // none when it could not be read
  std::vector<Reason> reasons;

  // Several lines, without a newline at the end. `where` is the recipe's place that needs the
  // plugin ("recipe.toml:14"), if any.
  std::string message(const std::string& where = "") const;
};

// A library in a plugin folder that carries no note of hob, say a dependency that lies beside the
// plugins, or an entry of HOB_PLUGIN_PATH that does not exist. Worth a line in the debug log.
struct Skip {
  std::filesystem::path file;
  std::string why;
};

// The plugins found along the search path. One bad file never stops the others.
class Registry {
 public:
  // Examines each file once, whatever the number of names that lead to it (device and inode).
  // Throws hob::Error (kUsage) when an explicit entry does not exist.
  Registry(const SearchPath& path, const HostOffer& offer);

  const std::vector<Plugin>& plugins() const { return plugins_; }
  const std::vector<Refusal>& refusals() const { return refusals_; }
  const std::vector<Skip>& skips() const { return skips_; }

  // The components of all usable plugins, in search order: what a recipe is validated against.
  std::vector<recipe::ComponentSchema> catalogue() const;

  // The components of the refused plugins whose descriptor can be read, each with the reason, for
  // the error of a recipe that names one.
  std::vector<recipe::RefusedComponent> refused_components() const;

  // The usable plugin with this id, or nullptr.
  const Plugin* find(const std::string& plugin_id) const;

 private:
  void examine_entry(const std::filesystem::path& entry, bool must_exist, const HostOffer& offer);
  void examine_folder(const std::filesystem::path& folder, const HostOffer& offer);
  void examine_file(const std::filesystem::path& file, bool asked_for, const HostOffer& offer);
  void add(Plugin plugin, std::vector<Reason> reasons);

  std::set<std::pair<std::uint64_t, std::uint64_t>> examined_;  // device and inode
  std::vector<Plugin> plugins_;
  std::vector<Refusal> refusals_;
  std::vector<Skip> skips_;
};

}  // namespace hob::host
