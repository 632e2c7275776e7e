#pragma once

#include <string>
#include <utility>
#include <vector>

#include "recipe/catalogue.h"
#include "recipe/host_schema.h"
#include "recipe/problems.h"
#include "recipe/tree.h"

namespace hob::recipe {

struct CheckedKey {
  std::string name;
  Value value;
  Mark mark;  // of the table where the value is a default
};

// A table whose keys are known and right, with defaults filled in.
struct CheckedTable {
  const HostTable* schema = nullptr;
  Mark mark;                     // of the table; of `use` where it is written
  std::vector<CheckedKey> keys;  // the host's
  std::string use;               // of a table with a component
  const ComponentSchema* component = nullptr;
  std::vector<CheckedKey> params;  // of the component, in its order
  std::vector<std::pair<std::string, std::vector<CheckedTable>>> children;

  const CheckedKey* find(std::string_view key) const;  // the host's; null where absent
  // The tables of that name inside; of one that is not repeated there is one or none.
  const std::vector<CheckedTable>& inside(std::string_view child) const;
};

// Checks the whole tree. What is wrong goes to `problems`; the result is complete only when there
// are none.
CheckedTable check_recipe(const Node& root, const Catalogue& catalogue, Problems& problems);

}  // namespace hob::recipe
