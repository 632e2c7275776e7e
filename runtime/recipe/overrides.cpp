#include "recipe/overrides.h"

#include <algorithm>
#include <charconv>
#include <filesystem>
#include <memory>
#include <optional>
#include <utility>

#include "base/text.h"
#include "recipe/extends.h"
#include "recipe/host_schema.h"
#include "recipe/parse.h"

namespace hob::recipe {
namespace {

constexpr int kFirstRank = 1'000'000;  // behind all files
constexpr std::size_t kMostPathParts = 16;

enum class Action { kSet, kAdd, kDelete };

struct Override {
  Action action = Action::kSet;
  std::vector<std::string> path;
  std::string value;
  Mark mark;
};

// What is wrong with an override; located by the caller.
struct Refusal {
  std::string why;
};

Override parse_override(const std::string& written, int index) {
  auto source = std::make_shared<Source>();
  source->name = "command line: " + quote(written);
  source->folder = std::filesystem::current_path();
  source->rank = kFirstRank + index;
  Override parsed;
  parsed.mark.source = std::move(source);
  std::string_view text = written;
  if (text.starts_with('+') || text.starts_with('~')) {
    parsed.action = text.front() == '+' ? Action::kAdd : Action::kDelete;
    text.remove_prefix(1);
  }
  const std::size_t equals = text.find('=');
  const bool has_value = equals != std::string_view::npos;
  if (has_value) parsed.value = text.substr(equals + 1);
  parsed.path = split(text.substr(0, equals), '.');
  return parsed;
}

void check_form(const Override& change, const std::string& written) {
  const bool has_value = written.find('=') != std::string::npos;
  if (change.action == Action::kDelete && has_value) {
    throw Refusal{"a key is deleted by its name alone: ~key"};
  }
  if (change.action != Action::kDelete && !has_value) {
    throw Refusal{"expected key=value, +key=value or ~key"};
  }
  if (change.path.size() > kMostPathParts ||
      std::find(change.path.begin(), change.path.end(), "") != change.path.end()) {
    throw Refusal{"expected a dotted key before '=', such as optimizer.lr=1e-3"};
  }
}

std::optional<std::size_t> as_index(const std::string& part) {
  std::size_t index = 0;
  const auto [end, failure] = std::from_chars(part.data(), part.data() + part.size(), index);
  if (failure != std::errc{} || end != part.data() + part.size()) return std::nullopt;
  return index;
}

bool is_used_as(const Node& item, const std::string& name) {
  const Node* const use = item.find("use");
  if (use == nullptr || use->text() == nullptr) return false;
  return *use->text() == name || use->text()->ends_with("/" + name);
}

// The place of an element in an array, by index or by the name of its component.
std::size_t find_element(const Node::Array& items, const std::string& part,
                         const std::string& array) {
  if (const auto index = as_index(part)) {
    if (*index < items.size()) return *index;
    throw Refusal{quote(array) + " has " + std::to_string(items.size()) +
                  " elements, counted from 0; there is no element " + part};
  }
  std::vector<std::size_t> found;
  std::vector<std::string> uses;
  for (std::size_t i = 0; i < items.size(); ++i) {
    if (is_used_as(items[i], part)) found.push_back(i);
    const Node* const use = items[i].find("use");
    if (use != nullptr && use->text() != nullptr) uses.push_back(*use->text());
  }
  if (found.size() == 1) return found.front();
  if (found.size() > 1) {
    throw Refusal{std::to_string(found.size()) + " elements of " + quote(array) + " use " +
                  quote(part) + "; write the index, such as " + array + "." +
                  std::to_string(found.front())};
  }
  throw Refusal{"no element of " + quote(array) + " uses " + quote(part) +
                (uses.empty() ? "" : "; there is " + quote_all(uses)) + did_you_mean(part, uses)};
}

class Editor {
 public:
  Editor(Node& root, const Catalogue& catalogue, std::vector<std::string>* notices)
      : root_(root), catalogue_(catalogue), notices_(notices) {}

  void apply(const Override& change) {
    Node& parent = find_parent(change);
    const std::string& last = change.path.back();
    if (parent.array() != nullptr) {
      edit_element(*parent.array(), change);
    } else if (change.action == Action::kDelete) {
      erase(parent, change);
    } else if (change.action == Action::kAdd) {
      add(parent, change);
    } else {
      if (last == "use") drop_keys_of_old_component(parent, change);
      parent.set(last, change.mark, value_of(change));
    }
  }

 private:
  static Node value_of(const Override& change) {
    if (auto value = parse_toml_value(change.value, change.mark)) return std::move(*value);
    return {change.value, change.mark};
  }

  static std::string dotted(const Override& change, std::size_t parts) {
    return join(std::span(change.path).first(parts), ".");
  }

  // The table or array that holds the last part of the path; tables on the way are made.
  Node& find_parent(const Override& change) {
    Node* node = &root_;
    std::string schema_path;  // the path without indices
    for (std::size_t i = 0; i + 1 < change.path.size(); ++i) {
      const std::string& part = change.path[i];
      if (node->array() != nullptr) {
        node = &(*node->array())[find_element(*node->array(), part, dotted(change, i))];
      } else {
        schema_path += (schema_path.empty() ? "" : ".") + part;
        node = &find_or_make(*node, part, schema_path, change);
      }
      if (node->array() == nullptr && node->table() == nullptr) {
        throw Refusal{quote(dotted(change, i + 1)) + " is " + describe(*node) +
                      ", and holds no keys"};
      }
    }
    return *node;
  }

  static Node& find_or_make(Node& table, const std::string& part, const std::string& schema_path,
                            const Override& change) {
    if (Node* const found = table.find(part)) return *found;
    const HostTable* const known = find_host_table(schema_path);
    if (known != nullptr && known->presence == Presence::kRepeated) {
      throw Refusal{"the recipe has no " + shown_name(*known) + "; add one by +" + schema_path +
                    "={use=\"...\"}"};
    }
    if (change.action == Action::kDelete) {
      throw Refusal{"there is no " + quote(schema_path) + " to delete"};
    }
    table.set(part, change.mark, empty_table(change.mark));
    return *table.find(part);
  }

  static void edit_element(Node::Array& items, const Override& change) {
    const std::size_t index =
        find_element(items, change.path.back(), dotted(change, change.path.size() - 1));
    if (change.action == Action::kDelete) {
      items.erase(items.begin() + static_cast<std::ptrdiff_t>(index));
    } else if (change.action == Action::kSet) {
      items[index] = value_of(change);
    } else {
      const std::string array = dotted(change, change.path.size() - 1);
      throw Refusal{"there is such an element already; append another by +" + array +
                    "=..., or change it without the '+'"};
    }
  }

  static void erase(Node& parent, const Override& change) {
    if (parent.erase(change.path.back())) return;
    std::vector<std::string> names;
    for (const Entry& entry : *parent.table()) names.push_back(entry.key);
    throw Refusal{"there is no " + quote(dotted(change, change.path.size())) + " to delete" +
                  did_you_mean(change.path.back(), names)};
  }

  static void add(Node& parent, const Override& change) {
    const std::string& last = change.path.back();
    Node value = value_of(change);
    Node* const found = parent.find(last);
    if (found == nullptr) {
      const HostTable* const known = find_host_table(dotted(change, change.path.size()));
      const bool first = known != nullptr && known->presence == Presence::kRepeated;
      if (first && value.array() == nullptr) value = {Node::Array{std::move(value)}, change.mark};
      parent.set(last, change.mark, std::move(value));
      return;
    }
    if (found->array() == nullptr) {
      throw Refusal{quote(dotted(change, change.path.size())) + " is already there (" +
                    to_string(found->mark.position()) + "); set it without the '+'"};
    }
    if (Node::Array* const values = value.array()) {
      for (Node& item : *values) found->array()->push_back(std::move(item));
    } else {
      found->array()->push_back(std::move(value));
    }
  }

  void drop_keys_of_old_component(Node& table, const Override& change) {
    std::string path;
    for (std::size_t i = 0; i + 1 < change.path.size(); ++i) {
      const std::string longer = path.empty() ? change.path[i] : path + "." + change.path[i];
      // A part that leads to no table is the index or the name of an element.
      if (find_host_table(longer) != nullptr) path = longer;
    }
    const HostTable* const known = find_host_table(path);
    if (known == nullptr) return;
    drop_foreign_keys(table, *known, value_of(change), catalogue_, notices_);
  }

  Node& root_;
  const Catalogue& catalogue_;
  std::vector<std::string>* const notices_;
};

}  // namespace

void apply_overrides(Node& root, std::span<const std::string> overrides, const Catalogue& catalogue,
                     std::vector<std::string>* notices, Problems& problems) {
  std::vector<std::pair<Override, const std::string*>> changes;
  for (const std::string& written : overrides) {
    changes.emplace_back(parse_override(written, static_cast<int>(changes.size())), &written);
  }
  std::stable_partition(changes.begin(), changes.end(), [](const auto& change) {
    return change.first.action == Action::kSet && change.first.path.back() == "use";
  });
  Editor editor(root, catalogue, notices);
  for (const auto& [change, written] : changes) {
    try {
      check_form(change, *written);
      editor.apply(change);
    } catch (const Refusal& refusal) {
      problems.add(change.mark, refusal.why);
    }
  }
}

}  // namespace hob::recipe
