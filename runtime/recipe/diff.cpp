#include <algorithm>

#include "recipe/flatten.h"
#include "recipe/toml_text.h"

namespace hob::recipe {
namespace {

bool is_compared(const FlatTable& table) {
  return !table.schema->path.starts_with("lock");
}

bool is_compared(const FlatTable& table, const FlatKey& key) {
  return table.schema->path != "run" || (key.name != "name" && key.name != "dir");
}

std::string shown(const FlatTable& table) {
  return table.use.empty() ? shown_name(*table.schema) : toml_string(table.use);
}

template <class T, class Id>
const T* find(const std::vector<T>& items, const std::string& wanted, Id id) {
  const auto found =
      std::find_if(items.begin(), items.end(), [&](const T& item) { return item.*id == wanted; });
  return found == items.end() ? nullptr : &*found;
}

class Differ {
 public:
  std::vector<Change> compare(const Recipe& before, const Recipe& after) {
    const std::vector<FlatTable> old_tables = flatten(before);
    const std::vector<FlatTable> new_tables = flatten(after);
    for (const FlatTable& old_table : old_tables) {
      if (!is_compared(old_table)) continue;
      if (const FlatTable* const table = find(new_tables, old_table.id, &FlatTable::id)) {
        compare_tables(old_table, *table);
      } else {
        add_table(old_table, shown(old_table), "");
      }
    }
    for (const FlatTable& table : new_tables) {
      const bool is_new = find(old_tables, table.id, &FlatTable::id) == nullptr;
      if (is_compared(table) && is_new) add_table(table, "", shown(table));
    }
    return std::move(changes_);
  }

 private:
  void add_table(const FlatTable& table, const std::string& before, const std::string& after) {
    changes_.push_back(
        {table.id, before, after, table.schema->numerics, table.schema->may_change_on_resume});
  }

  void compare_tables(const FlatTable& before, const FlatTable& after) {
    if (before.use != after.use) {
      // Below, only the keys that both components have are compared.
      add_table(after, shown(before), shown(after));
      changes_.back().key += ".use";
    }
    for (const FlatKey& key : before.keys) {
      const FlatKey* const other = find(after.keys, key.name, &FlatKey::name);
      if (other != nullptr && other->text != key.text) add_key(after, key, key.text, other->text);
      if (other == nullptr && before.use == after.use) add_key(after, key, key.text, "");
    }
    for (const FlatKey& key : after.keys) {
      const bool is_new = find(before.keys, key.name, &FlatKey::name) == nullptr;
      if (is_new && before.use == after.use) add_key(after, key, "", key.text);
    }
  }

  void add_key(const FlatTable& table, const FlatKey& key, const std::string& before,
               const std::string& after) {
    if (!is_compared(table, key)) return;
    changes_.push_back({table.id + "." + key.name, before, after, key.schema->numerics,
                        key.schema->may_change_on_resume});
  }

  std::vector<Change> changes_;
};

}  // namespace

std::vector<Change> diff(const Recipe& before, const Recipe& after) {
  return Differ().compare(before, after);
}

}  // namespace hob::recipe
