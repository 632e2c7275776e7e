#pragma once

#include <string>
#include <vector>

#include "recipe/host_schema.h"
#include "recipe/recipe.h"

namespace hob::recipe {

struct FlatKey {
  std::string name;
  std::string text;  // the value in TOML
  const ParamSchema* schema = nullptr;
};

struct FlatTable {
  const HostTable* schema = nullptr;
  std::string id;   // "optimizer.group.0": the path, with the index of a repeated one
  std::string use;  // "" for a table without a component
  std::vector<FlatKey> keys;
};

// A recipe's tables in the order in which they are written, each with all its keys. Of a group,
// what is the same as its optimizer's is left out: it would no longer follow a change there.
std::vector<FlatTable> flatten(const Recipe& recipe);

}  // namespace hob::recipe
