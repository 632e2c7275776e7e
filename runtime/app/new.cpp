#include "app/new.h"

#include <algorithm>
#include <cctype>
#include <cerrno>
#include <fstream>
#include <iostream>
#include <system_error>

#include "app/commands.h"
#include "app/component_json.h"
#include "base/error.h"
#include "base/file.h"
#include "base/text.h"

namespace hob::app {
namespace {

namespace fs = std::filesystem;

struct File {
  fs::path path;  // within the project
  std::string text;
};

fs::path program_prefix() {
  return fs::read_symlink("/proc/self/exe").parent_path().parent_path();
}

void check_name(const std::string& name) {
  constexpr std::size_t kLongest = 64;
  const auto is_part = [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '_';
  };
  const bool well_formed = !name.empty() && name.size() <= kLongest && name[0] >= 'a' &&
                           name[0] <= 'z' && std::all_of(name.begin(), name.end(), is_part);
  if (!well_formed) {
    throw Error(Fault::kUsage, "a component cannot be named " + quote(name) +
                                   ": expected a small letter, then small letters, digits and '_', "
                                   "64 at most, such as 'my_optimizer'");
  }
  // The plugin is a target of that name in the project's CMake.
  static const std::vector<std::string> taken = {
      "all",     "clean", "edit_cache", "help",           "hob",
      "install", "test",  "package",    "package_source", "rebuild_cache"};
  if (std::find(taken.begin(), taken.end(), name) != taken.end()) {
    throw Error(Fault::kUsage, "a component cannot be named " + quote(name) +
                                   ", for CMake has a target of that name; choose another one");
  }
}

void check_kind(const fs::path& templates, const std::string& kind) {
  std::vector<std::string> kinds;
  std::error_code error;
  for (fs::directory_iterator at(templates, error), end; !error && at != end; at.increment(error)) {
    if (at->is_directory()) kinds.push_back(at->path().filename().string());
  }
  std::sort(kinds.begin(), kinds.end());
  if (kinds.empty()) {
    throw Error(Fault::kUsage, "the templates of hob new are missing: nothing can be read in " +
                                   templates.string() + "; install hob again");
  }
  if (std::find(kinds.begin(), kinds.end(), kind) == kinds.end()) {
    throw Error(Fault::kUsage, "there is no template for the kind " + quote(kind) + ", only for " +
                                   join(kinds, ", ") + did_you_mean(kind, kinds));
  }
}

void check_folder(const fs::path& folder) {
  std::error_code error;
  const bool is_there = fs::exists(fs::symlink_status(folder, error));
  if (is_there && !(fs::is_directory(folder, error) && fs::is_empty(folder, error) && !error)) {
    throw Error(Fault::kUsage, folder.string() +
                                   " is there already and is no empty folder; nothing was written. "
                                   "Choose another place with --dir");
  }
}

std::string camel_case(const std::string& name) {
  std::string result;
  bool starts_word = true;
  for (const char c : name) {
    if (c != '_') result += starts_word ? static_cast<char>(std::toupper(c)) : c;
    starts_word = c == '_';
  }
  return result;
}

std::string filled_in(std::string text, const std::string& name) {
  const std::pair<std::string, std::string> fields[] = {{"@NAME@", name},
                                                        {"@CLASS@", camel_case(name)}};
  for (const auto& [field, value] : fields) {
    for (std::size_t at = 0; (at = text.find(field, at)) != std::string::npos; at += value.size()) {
      text.replace(at, field.size(), value);
    }
  }
  return text;
}

std::vector<File> read_template(const fs::path& source, const std::string& name) {
  constexpr std::uint64_t kLargestFile = 1 << 20;
  std::vector<File> files;
  for (const fs::directory_entry& entry : fs::recursive_directory_iterator(source)) {
    if (!entry.is_regular_file()) continue;
    const std::string path = entry.path().lexically_relative(source).string();
    files.push_back(
        {filled_in(path, name), filled_in(read_file(entry.path(), kLargestFile), name)});
  }
  std::sort(files.begin(), files.end(),
            [](const File& a, const File& b) { return a.path < b.path; });
  return files;
}

void write(const fs::path& path, const std::string& text) {
  std::error_code error;
  fs::create_directories(path.parent_path(), error);
  std::ofstream out(path, std::ios::binary);
  out << text;
  out.close();
  if (error || !out) {
    throw Error(Fault::kUsage,
                path.string() + " cannot be written: " +
                    (error ? error : std::error_code(errno, std::generic_category())).message());
  }
}

// A word for a shell, in quotes where it needs them.
std::string shell_word(const std::string& word) {
  constexpr const char* kPlain =
      "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-./=+:,";
  if (!word.empty() && word.find_first_not_of(kPlain) == std::string::npos) return word;
  std::string result = "'";
  for (const char c : word) result += c == '\'' ? std::string("'\\''") : std::string(1, c);
  return result + "'";
}

// How the project's CMake finds this very hob: its package stands in sdk/ of a build folder, and
// where CMake looks below an installed prefix.
std::string package_option() {
  const fs::path prefix = program_prefix();
  if (fs::exists(prefix / "sdk/hobConfig.cmake")) return "-Dhob_DIR=" + (prefix / "sdk").string();
  return "-DCMAKE_PREFIX_PATH=" + prefix.string();
}

}  // namespace

fs::path template_folder() {
  return program_prefix() / "share/hob/template";
}

std::vector<fs::path> write_project(const fs::path& templates, const std::string& kind,
                                    const std::string& name, const fs::path& folder) {
  check_name(name);
  check_kind(templates, kind);
  check_folder(folder);
  std::vector<fs::path> written;
  for (const File& file : read_template(templates / kind, name)) {
    write(folder / file.path, file.text);
    written.push_back(file.path);
  }
  return written;
}

int new_command(const CommonOptions& common, const std::string& kind, const std::string& name,
                const std::optional<fs::path>& dir) {
  const fs::path folder = dir.value_or(name);
  const std::vector<fs::path> files = write_project(template_folder(), kind, name, folder);
  const fs::path build = folder / "build";
  const std::string build_command =
      "cmake -S " + shell_word(folder.string()) + " -B " + shell_word(build.string()) + " " +
      shell_word(package_option()) + " && cmake --build " + shell_word(build.string());
  const std::string verify_command = shell_word(fs::read_symlink("/proc/self/exe").string()) +
                                     " verify " + shell_word((build / (name + ".so")).string());
  if (common.json) {
    nlohmann::json json{{"folder", folder.string()}, {"next", {build_command, verify_command}}};
    for (const fs::path& file : files) json["files"].push_back(file.string());
    std::cout << dump(json) << std::endl;
    return 0;
  }
  std::cout << "wrote a plugin with the " << kind << " '" << name << "' to " << folder.string()
            << ":\n";
  for (const fs::path& file : files) std::cout << "  " << file.string() << '\n';
  std::cout << "next\n  " << build_command << "\n  " << verify_command << std::endl;
  return 0;
}

}  // namespace hob::app
