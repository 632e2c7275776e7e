#pragma once

#include <span>
#include <string>
#include <string_view>

namespace hob {

// Patterns as recipes write them, for parameters, sockets and segments: globs on full dotted names.
// `*` stands for any characters, dots included, `?` for one; a match includes all that is below the
// name: "layer1" matches "layer1" and "layer1.0.conv", not "layer10". An empty pattern matches
// nothing.
bool glob_matches(std::string_view pattern, std::string_view name);

// The same, or "role:norm": true where `roles` holds "norm".
bool pattern_matches(std::string_view pattern, std::string_view name,
                     std::span<const std::string> roles);

}  // namespace hob
