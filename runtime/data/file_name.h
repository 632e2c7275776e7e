#pragma once

#include <string_view>

namespace hob::data {

// Whether the text names a file beside another: a path with folders, or out of the folder, does
// not. For names that come out of files.
inline bool is_plain_file_name(std::string_view name) {
  return !name.empty() && name != "." && name != ".." &&
         name.find_first_of(std::string_view("/\0", 2)) == std::string_view::npos;
}

}  // namespace hob::data
