#include "host/registry.h"

#include "base/error.h"
#include "base/file.h"
#include "base/sha256.h"
#include "base/text.h"

#include <sys/stat.h>
#include <algorithm>
#include <cstdlib>
#include <system_error>

namespace hob::host {
namespace {

namespace fs = std::filesystem;

constexpr std::uint64_t kMaxFileBytes = std::uint64_t{4} << 30;

Reason not_a_plugin(const std::string& found) {
  return {"an x86-64 shared library with a descriptor of hob", found,
          "build it again for x86-64 with this hob's SDK (hob_add_plugin), or remove the file"};
}

}  // namespace

std::string SearchPath::text() const {
  std::vector<std::string> places;
  for (const auto* entries : {&explicit_entries, &other_entries}) {
    for (const fs::path& entry : *entries) places.push_back(entry.string());
  }
  return "plugins were looked for in " + join(places, ", ") +
         "; --plugin-path or HOB_PLUGIN_PATH adds a folder or a file";
}

SearchPath make_search_path(std::vector<fs::path> explicit_entries) {
  SearchPath path;
  path.explicit_entries = std::move(explicit_entries);
  const char* text = std::getenv("HOB_PLUGIN_PATH");
  for (const std::string& entry : split(text == nullptr ? "" : text, ':')) {
    if (!entry.empty()) path.other_entries.emplace_back(entry);
  }
  const fs::path program = fs::read_symlink("/proc/self/exe");
  path.other_entries.push_back(program.parent_path().parent_path() / "lib/hob/plugins");
  return path;
}

std::string Refusal::message(const std::string& where) const {
  std::string text = "plugin ";
  if (descriptor) text += "'" + descriptor->id + "' " + descriptor->version + " ";
  text += "refused; none of its code was run\n  file     " + file.string();
  if (!sha256.empty()) text += "  sha256 " + sha256;
  if (!where.empty()) text += "  (" + where + ")";
  for (std::size_t i = 0; i < reasons.size(); ++i) {
    text += "\n  needs    " + reasons[i].needs + "\n  but      " + reasons[i].but;
    // Reasons in a row often have one remedy.
    const bool last_of_fix = i + 1 == reasons.size() || reasons[i + 1].fix != reasons[i].fix;
    if (last_of_fix) text += "\n  fix      " + reasons[i].fix;
  }
  return text;
}

Registry::Registry(const SearchPath& path, const HostOffer& offer) {
  for (const fs::path& entry : path.explicit_entries) examine_entry(entry, true, offer);
  for (const fs::path& entry : path.other_entries) examine_entry(entry, false, offer);
}

std::vector<recipe::ComponentSchema> Registry::catalogue() const {
  std::vector<recipe::ComponentSchema> all;
  for (const Plugin& plugin : plugins_) {
    const auto& components = plugin.descriptor.components;
    all.insert(all.end(), components.begin(), components.end());
  }
  return all;
}

std::vector<recipe::RefusedComponent> Registry::refused_components() const {
  std::vector<recipe::RefusedComponent> all;
  for (const Refusal& refusal : refusals_) {
    if (!refusal.descriptor) continue;
    for (const auto& component : refusal.descriptor->components) {
      all.push_back({component, refusal.message()});
    }
  }
  return all;
}

const Plugin* Registry::find(const std::string& plugin_id) const {
  const auto found = std::find_if(plugins_.begin(), plugins_.end(), [&](const Plugin& plugin) {
    return plugin.descriptor.id == plugin_id;
  });
  return found == plugins_.end() ? nullptr : &*found;
}

void Registry::examine_entry(const fs::path& entry, bool must_exist, const HostOffer& offer) {
  std::error_code error;
  const fs::file_status status = fs::status(entry, error);
  if (!fs::exists(status)) {
    const std::string why = status.type() == fs::file_type::not_found
                                ? "no such file or folder"
                                : "cannot be read: " + error.message();
    if (must_exist) {
      throw Error(Fault::kUsage, "--plugin-path " + entry.string() + ": " + why +
                                     "; give a folder with plugins, or a plugin's .so file");
    }
    skips_.push_back({entry, why});
  } else if (fs::is_directory(status)) {
    examine_folder(fs::absolute(entry), offer);
  } else {
    examine_file(fs::absolute(entry), true, offer);
  }
}

void Registry::examine_folder(const fs::path& folder, const HostOffer& offer) {
  std::vector<fs::path> files;
  std::error_code error;
  // Increments by hand: the loop's own increment throws.
  for (fs::directory_iterator at(folder, error), end; !error && at != end; at.increment(error)) {
    std::error_code ignored;
    if (at->path().extension() == ".so" && !at->is_directory(ignored)) files.push_back(at->path());
  }
  if (error) skips_.push_back({folder, "cannot be read: " + error.message()});
  std::sort(files.begin(), files.end());  // the order on the disk is chance
  for (const fs::path& file : files) examine_file(file, false, offer);
}

void Registry::examine_file(const fs::path& file, bool asked_for, const HostOffer& offer) {
  struct stat identity;
  if (stat(file.c_str(), &identity) == 0 &&
      !examined_.emplace(identity.st_dev, identity.st_ino).second) {
    return;
  }
  Plugin plugin;
  plugin.file = file;
  try {
    const std::string bytes = read_file(file, kMaxFileBytes, Fault::kPlugin);
    plugin.sha256 = sha256_hex(bytes);
    const ElfFile elf = read_elf(bytes);
    if (!has_hob_note(elf)) {
      const std::string why = "it has no note of hob: it is some other library";
      if (!asked_for) {
        skips_.push_back({file, why});
      } else {
        refusals_.push_back({file, plugin.sha256, std::nullopt, {not_a_plugin(why)}});
      }
      return;
    }
    plugin.descriptor = read_descriptor(elf);
    std::vector<Reason> reasons = find_incompatibilities(plugin.descriptor, elf, file, offer);
    add(std::move(plugin), std::move(reasons));
  } catch (const Error& error) {
    refusals_.push_back({file, plugin.sha256, std::nullopt, {not_a_plugin(error.what())}});
  }
}

void Registry::add(Plugin plugin, std::vector<Reason> reasons) {
  // A file that cannot be used anyway does not keep another of the same id from being used.
  const Plugin* earlier = find(plugin.descriptor.id);
  if (earlier != nullptr) {
    reasons.push_back({"an id that no other plugin has",
                       "'" + earlier->descriptor.id + "' " + earlier->descriptor.version +
                           " was already found in " + earlier->file.string(),
                       "remove one of the two files, or give the plugin an id of its own"});
  }
  if (reasons.empty()) {
    plugins_.push_back(std::move(plugin));
  } else {
    refusals_.push_back({std::move(plugin.file), std::move(plugin.sha256),
                         std::move(plugin.descriptor), std::move(reasons)});
  }
}

}  // namespace hob::host
