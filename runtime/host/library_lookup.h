#pragma once

#include <filesystem>
#include <string>

#include "host/elf_file.h"

namespace hob::host {

// Whether the loader would find the library `name` that the file at `file` needs (DT_NEEDED): among
// the libraries that the process has loaded already, or by DT_RPATH, LD_LIBRARY_PATH, DT_RUNPATH
// ($ORIGIN is the folder of `file`), the loader's cache and its default folders, in that order. The
// folder of the plugin is searched only where its RUNPATH says so: `-Wl,-rpath,'$ORIGIN'`. Loads
// nothing and runs nothing.
bool can_find_library(const std::string& name, const ElfFile& elf,
                      const std::filesystem::path& file);

}  // namespace hob::host
