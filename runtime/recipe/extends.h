#pragma once

#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "recipe/catalogue.h"
#include "recipe/host_schema.h"
#include "recipe/tree.h"

namespace hob::recipe {

// Reads a file of a recipe with all that it extends, merged. Throws hob::Error (kUsage).
Node load_tree(const std::filesystem::path& path, const Catalogue& catalogue,
               std::vector<std::string>* notices);

// The same of a text in memory.
Node load_tree_of_text(std::string_view text, std::shared_ptr<const Source> source,
                       const Catalogue& catalogue, std::vector<std::string>* notices);

// `inherited` holds the keys of a component's table, and `use` will name another one: removes what
// the new component lacks, and notes it. Does nothing where the new name is unknown.
void drop_foreign_keys(Node& inherited, const HostTable& table, const Node& use,
                       const Catalogue& catalogue, std::vector<std::string>* notices);

}  // namespace hob::recipe
