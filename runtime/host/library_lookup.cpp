#include "host/library_lookup.h"

#include "base/text.h"

#include <dlfcn.h>
#include <algorithm>
#include <cstdlib>
#include <fstream>
#include <iterator>
#include <string_view>
#include <vector>

namespace hob::host {
namespace {

namespace fs = std::filesystem;

bool is_file(const fs::path& path) {
  std::error_code ignored;
  return fs::is_regular_file(path, ignored);
}

// The process may hold it already, as it holds LibTorch; the loader then takes that one.
bool is_loaded(const std::string& name) {
  void* handle = dlopen(name.c_str(), RTLD_LAZY | RTLD_NOLOAD);
  if (handle == nullptr) return false;
  dlclose(handle);
  return true;
}

std::string expand_origin(std::string folder, const fs::path& file) {
  const std::string origin = file.parent_path().string();
  for (const std::string_view token : {"${ORIGIN}", "$ORIGIN"}) {
    for (std::size_t at = 0; (at = folder.find(token, at)) != std::string::npos;) {
      folder.replace(at, token.size(), origin);
      at += origin.size();
    }
  }
  return folder;
}

bool is_in(const std::vector<std::string>& folders, const std::string& name, const fs::path& file) {
  for (const std::string& folder : folders) {
    if (is_file(fs::path(expand_origin(folder, file)) / name)) return true;
  }
  return false;
}

std::vector<std::string> folders_of_environment() {
  const char* text = std::getenv("LD_LIBRARY_PATH");
  if (text == nullptr || *text == '\0') return {};
  std::string list = text;
  std::replace(list.begin(), list.end(), ';', ':');  // the loader takes both
  std::vector<std::string> folders = split(list, ':');
  // To the loader, an empty entry is the working folder.
  std::replace(folders.begin(), folders.end(), std::string(), std::string("."));
  return folders;
}

// The cache holds the full path of every library that ldconfig found, each ended by a NUL.
bool is_in_loader_cache(const std::string& name) {
  std::ifstream stream("/etc/ld.so.cache", std::ios::binary);
  const std::string cache{std::istreambuf_iterator<char>(stream), {}};
  const std::string entry = "/" + name + '\0';
  return cache.find(entry) != std::string::npos;
}

}  // namespace

bool can_find_library(const std::string& name, const ElfFile& elf, const fs::path& file) {
  // A name with a slash is a path, to the loader too.
  if (name.find('/') != std::string::npos) return is_file(expand_origin(name, file));
  static const std::vector<std::string> kDefaultFolders = {"/lib/x86_64-linux-gnu",
                                                           "/usr/lib/x86_64-linux-gnu",
                                                           "/lib64",
                                                           "/usr/lib64",
                                                           "/lib",
                                                           "/usr/lib"};
  return is_loaded(name) || is_in(elf.rpath, name, file) ||
         is_in(folders_of_environment(), name, file) || is_in(elf.runpath, name, file) ||
         is_in_loader_cache(name) || is_in(kDefaultFolders, name, file);
}

}  // namespace hob::host
