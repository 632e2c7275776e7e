#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace hob::app {

// Where the templates of `hob new` lie: share/hob/template beside the program's bin, installed or
// not.
std::filesystem::path template_folder();

// Copies the template of a kind into a folder, which is made where it does not exist: in names and
// texts of its files, @NAME@ becomes `name` and @CLASS@ the same in CamelCase. Returns the files
// that were written, relative to the folder. Throws Error (usage), with nothing written, for a name
// that is none, a kind without a template, and a folder that holds something.
std::vector<std::filesystem::path> write_project(const std::filesystem::path& templates,
                                                 const std::string& kind, const std::string& name,
                                                 const std::filesystem::path& folder);

}  // namespace hob::app
