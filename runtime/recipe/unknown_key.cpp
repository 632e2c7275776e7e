#include "recipe/unknown_key.h"

#include <algorithm>
#include <optional>
#include <utility>

#include "base/text.h"

namespace hob::recipe {
namespace {

constexpr std::size_t kLongestKey = 64;      // longer ones are not mistyped
constexpr std::size_t kMostExplained = 100;  // no recipe of more is being corrected by hand

// Every name that a table takes, and what people write instead of it.
struct Known {
  std::string written;
  std::string right;
};

std::vector<Known> known_keys(const HostTable& table, const ComponentSchema* component) {
  std::vector<Known> known;
  const auto add = [&](const std::string& name) { known.push_back({name, name}); };
  if (!table.kind.empty()) add("use");
  for (const HostKey& key : table.keys) add(key.schema.name);
  if (component != nullptr) {
    for (const ParamSchema& param : component->params) add(param.name);
  }
  for (const std::string& child : child_tables(table)) add(child);
  for (const HostKey& key : table.keys) {
    for (const std::string& alias : key.aliases) known.push_back({alias, key.schema.name});
  }
  return known;
}

std::string folded(std::string_view key) {
  std::string text(key);
  for (char& c : text) c = c == '-' ? '_' : static_cast<char>(c >= 'A' && c <= 'Z' ? c + 32 : c);
  return text;
}

std::optional<std::string> same_but_for_spelling(const std::string& key,
                                                 const std::vector<Known>& known) {
  for (const Known& name : known) {
    if (folded(key) == folded(name.written)) return name.right;
  }
  return std::nullopt;
}

std::optional<std::string> nearest(const std::string& key, const std::vector<Known>& known) {
  std::vector<std::string> names;
  for (const Known& name : known) names.push_back(name.written);
  const std::optional<std::string> found = nearest_name(key, names);
  return found ? same_but_for_spelling(*found, known) : std::nullopt;
}

std::string explain_table(const std::string& key) {
  const std::vector<std::string> tables = child_tables(*find_host_table(""));
  const std::string start = "unknown table " + quote(key);
  const std::optional<std::string> name = nearest_name(key, tables);
  if (!name) return start + "; there is " + quote_all(tables);
  return start + "; did you mean " + shown_name(*find_host_table(*name)) + "?";
}

}  // namespace

void UnknownKeys::add_component(const HostTable& table, const ComponentSchema& component) {
  components_.push_back({&table, &component});
}

void UnknownKeys::add(const Entry& entry, const HostTable& table,
                      const ComponentSchema* component) {
  const bool is_table =
      entry.value.table() != nullptr || describe(entry.value) == "array of tables";
  unknown_.push_back({entry.key, entry.mark, is_table, {&table, component}});
}

void UnknownKeys::report(Problems& problems) const {
  std::vector<Unknown> sorted = unknown_;
  std::stable_sort(sorted.begin(), sorted.end(),
                   [](const Unknown& a, const Unknown& b) { return a.mark < b.mark; });
  for (std::size_t i = 0; i < sorted.size(); ++i) {
    problems.add(sorted[i].mark, i < kMostExplained ? explain(sorted[i]) : "unknown key");
  }
}

std::string UnknownKeys::explain(const Unknown& unknown) const {
  const HostTable& table = *unknown.place.table;
  const std::string& key = unknown.key;
  const std::string place = (table.path.empty() ? " at " : " in ") + shown_name(table);
  const std::string start = "unknown key " + quote(key) + place;
  if (key.size() > kLongestKey) return start;
  const std::vector<Known> known = known_keys(table, unknown.place.component);
  const auto meant = [&](const std::string& name) {
    return start + "; did you mean " + quote(name) + "?";
  };
  if (const auto name = same_but_for_spelling(key, known)) return meant(*name);

  const std::string others = tables_that_take(unknown);
  if (table.path.empty() && unknown.is_table && others.empty()) return explain_table(key);
  const HostTable* const same_name = key.empty() ? nullptr : find_host_table(key);
  if (same_name != nullptr) {
    return "misplaced table " + quote(key) + place + "; write it as " + shown_name(*same_name);
  }
  if (!others.empty()) {
    return "misplaced key " + quote(key) + place + "; it belongs in " + others;
  }
  if (const auto name = nearest(key, known)) return meant(*name);

  std::vector<std::string> names;
  for (const Known& name : known) {
    if (name.written == name.right) names.push_back(name.right);
  }
  const std::string taker = table.path.empty() ? "the recipe" : shown_name(table);
  return start + "; " + taker + " takes " + quote_all(names);
}

std::string UnknownKeys::tables_that_take(const Unknown& unknown) const {
  std::vector<std::string> found;
  const auto look = [&](const HostTable& table, const ComponentSchema* component) {
    if (&table == unknown.place.table || table.path.starts_with("lock")) return;
    const auto name = same_but_for_spelling(unknown.key, known_keys(table, component));
    if (!name || *name == "use") return;
    std::string text = shown_name(table);
    if (*name != unknown.key) text += " as " + quote(*name);
    if (std::find(found.begin(), found.end(), text) == found.end()) found.push_back(text);
  };
  for (const HostTable& table : host_tables()) look(table, nullptr);
  for (const Use& use : components_) look(*use.table, use.component);
  if (found.size() > 1) std::erase(found, std::string("[[optimizer.group]]"));
  return join(found, " or ");
}

}  // namespace hob::recipe
