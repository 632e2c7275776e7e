#include "recipe/flatten.h"
#include "recipe/toml_text.h"

namespace hob::recipe {

std::string resolved_toml(const Recipe& recipe) {
  std::string text = "schema = 1\n";
  for (const FlatTable& table : flatten(recipe)) {
    text += "\n" + shown_name(*table.schema) + "\n";
    if (!table.use.empty()) text += "use = " + toml_string(table.use) + "\n";
    for (const FlatKey& key : table.keys) text += key.name + " = " + key.text + "\n";
  }
  return text;
}

}  // namespace hob::recipe
