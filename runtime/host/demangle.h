#pragma once

#include <string>

namespace hob::host {

// The C++ name of a mangled symbol or type; other names come back as they are.
std::string demangle(const std::string& symbol);

}  // namespace hob::host
