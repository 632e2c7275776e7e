#include "recipe/check.h"

#include <algorithm>

#include "base/text.h"
#include "recipe/check_value.h"
#include "recipe/unknown_key.h"

namespace hob::recipe {
namespace {

const ParamSchema* find_param(const ComponentSchema& component, std::string_view name) {
  const auto found = std::find_if(component.params.begin(), component.params.end(),
                                  [&](const ParamSchema& param) { return param.name == name; });
  return found == component.params.end() ? nullptr : &*found;
}

std::string shown_key(const std::string& key, const HostTable& table) {
  const std::string place = table.path.empty() ? "at " : "in ";
  return quote(key) + " " + place + shown_name(table);
}

bool is_missing(const std::vector<CheckedKey>& keys, const Node& table, const std::string& name) {
  const bool checked = std::any_of(keys.begin(), keys.end(),
                                   [&](const CheckedKey& key) { return key.name == name; });
  return !checked && table.find(name) == nullptr;
}

class TreeChecker {
 public:
  TreeChecker(const Catalogue& catalogue, const Mark& root_mark, Problems& problems)
      : catalogue_(catalogue), root_mark_(root_mark), problems_(problems) {}

  CheckedTable check_root(const Node& root) {
    CheckedTable checked = check_table(root, *find_host_table(""), nullptr);
    unknown_keys_.report(problems_);
    return checked;
  }

 private:
  // `enclosing` is the component of the table around, for tables that take its parameters.
  CheckedTable check_table(const Node& node, const HostTable& table,
                           const ComponentSchema* enclosing) {
    CheckedTable checked;
    checked.schema = &table;
    checked.mark = node.mark;
    bool params_known = true;  // else nothing can be said of keys that are not the host's
    if (!table.kind.empty()) {
      find_component(node, table, checked);
      params_known = checked.component != nullptr;
      if (params_known) unknown_keys_.add_component(table, *checked.component);
    } else if (table.inherits_params) {
      checked.component = enclosing;
      params_known = enclosing != nullptr;
    }
    for (const Entry& entry : *node.table()) {
      check_entry(entry, table, params_known, checked);
    }
    fill_defaults(node, table, checked);
    check_children(node, table, checked);
    if (table.inherits_params) checked.component = nullptr;
    return checked;
  }

  void check_entry(const Entry& entry, const HostTable& table, bool params_known,
                   CheckedTable& checked) {
    if (entry.key == "use" && !table.kind.empty()) return;
    const std::vector<std::string> children = child_tables(table);
    if (std::find(children.begin(), children.end(), entry.key) != children.end()) return;
    const std::string shown = shown_key(entry.key, table);
    if (const HostKey* const key = find_key(table, entry.key)) {
      if (auto value = check_value(entry.value, key->schema, key->form, shown, problems_)) {
        checked.keys.push_back({entry.key, std::move(*value), entry.value.mark});
      }
      return;
    }
    const ParamSchema* const param =
        checked.component != nullptr ? find_param(*checked.component, entry.key) : nullptr;
    if (param != nullptr) {
      if (auto value = check_value(entry.value, *param, Form::kPlain, shown, problems_)) {
        checked.params.push_back({entry.key, std::move(*value), entry.value.mark});
      }
    } else if (params_known) {
      unknown_keys_.add(entry, table, checked.component);
    }
  }

  void find_component(const Node& node, const HostTable& table, CheckedTable& checked) {
    const Node* const use = node.find("use");
    if (use != nullptr) checked.mark = use->mark;
    checked.use = table.default_use;
    if (use == nullptr && table.default_use.empty()) {
      problems_.add(node.mark, "missing key 'use' in " + shown_name(table) +
                                   ": it names the component; " + offer(table.kind));
      return;
    }
    if (use != nullptr && use->text() == nullptr) {
      problems_.add(use->mark,
                    shown_key("use", table) + ": expected string, got " + describe(*use));
      return;
    }
    if (use != nullptr) checked.use = *use->text();
    const Catalogue::Match match = catalogue_.find(table.kind, checked.use);
    checked.component = match.component;
    if (match.component == nullptr) report_no_component(match, table, checked, use == nullptr);
  }

  void report_no_component(const Catalogue::Match& match, const HostTable& table,
                           const CheckedTable& checked, bool by_default) {
    const std::string what = table.kind + " " + quote(checked.use);
    if (match.refused != nullptr) {
      problems_.add(checked.mark,
                    what + " is in a plugin that was refused: " + match.refused->reason,
                    Fault::kPlugin);
      return;
    }
    if (!match.ambiguous.empty()) {
      std::vector<std::string> choices;
      for (const ComponentSchema* component : match.ambiguous) {
        choices.push_back('"' + component->plugin_id + "/" + component->name + '"');
      }
      problems_.add(checked.mark, what + " is offered by several plugins; write use = " +
                                      join(choices, " or use = "));
      return;
    }
    const std::string name = checked.use.substr(checked.use.find('/') + 1);
    const std::vector<std::string> names = catalogue_.names(table.kind);
    std::string hint = did_you_mean(name, names);
    if (hint.empty()) hint = "; " + offer(table.kind);
    problems_.add(checked.mark, "unknown " + what + " in " + shown_name(table) +
                                    (by_default ? ", the default" : "") + hint);
  }

  // "there is 'adamw', 'sgd'", or where plugins were looked for.
  std::string offer(const std::string& kind) const {
    const std::vector<std::string> names = catalogue_.names(kind);
    if (!names.empty()) return "there is " + quote_all(names);
    std::string text = "no plugin offers any " + kind;
    if (!catalogue_.searched().empty()) text += " (" + catalogue_.searched() + ")";
    return text;
  }

  void fill_defaults(const Node& node, const HostTable& table, CheckedTable& checked) {
    for (const HostKey& key : table.keys) {
      if (!is_missing(checked.keys, node, key.schema.name)) continue;
      if (key.schema.default_value) {
        checked.keys.push_back({key.schema.name, *key.schema.default_value, checked.mark});
      } else if (key.required) {
        report_missing_key(node, key.schema, table);
      }
    }
    if (checked.component == nullptr || table.inherits_params) return;
    std::vector<CheckedKey> in_order;
    for (const ParamSchema& param : checked.component->params) {
      const auto given =
          std::find_if(checked.params.begin(), checked.params.end(),
                       [&](const CheckedKey& key) { return key.name == param.name; });
      if (given != checked.params.end()) {
        in_order.push_back(std::move(*given));
      } else if (node.find(param.name) != nullptr) {
        continue;  // it is wrong, and reported
      } else if (param.default_value) {
        in_order.push_back({param.name, default_of(param), checked.mark});
      } else {
        report_missing_key(node, param, table);
      }
    }
    checked.params = std::move(in_order);
  }

  // A default path is relative to the recipe's folder, like a written one.
  Value default_of(const ParamSchema& param) const {
    const Value& value = *param.default_value;
    const std::string* const text = std::get_if<std::string>(&value);
    if (param.type != ParamType::kPath || text == nullptr || text->empty()) return value;
    return (root_mark_.source->folder / *text).lexically_normal().string();
  }

  void report_missing_key(const Node& node, const ParamSchema& key, const HostTable& table) {
    const std::string help = key.help.empty() ? "" : " (" + key.help + ")";
    problems_.add(node.mark, "missing key " + quote(key.name) + " in " + shown_name(table) + help);
  }

  void check_children(const Node& node, const HostTable& table, CheckedTable& checked) {
    for (const std::string& name : child_tables(table)) {
      const std::string path = table.path.empty() ? name : table.path + "." + name;
      const HostTable& child = *find_host_table(path);
      std::vector<CheckedTable> tables;
      if (const Node* const written = node.find(name)) {
        check_written(*written, child, checked.component, tables);
      } else if (child.presence == Presence::kAlways) {
        tables.push_back(check_table(empty_table(node.mark), child, checked.component));
      } else if (child.presence == Presence::kRequired) {
        problems_.add(root_mark_, "missing table " + shown_name(child) + ": " + offer(child.kind));
      }
      checked.children.emplace_back(name, std::move(tables));
    }
  }

  void check_written(const Node& node, const HostTable& table, const ComponentSchema* enclosing,
                     std::vector<CheckedTable>& tables) {
    if (table.presence != Presence::kRepeated) {
      if (node.table() != nullptr) {
        tables.push_back(check_table(node, table, enclosing));
        return;
      }
      std::string hint;
      if (node.text() != nullptr && !table.kind.empty()) {
        hint = "; write " + table.path + ".use = " + quote(*node.text());
      }
      problems_.add(node.mark,
                    "expected table " + shown_name(table) + ", got " + describe(node) + hint);
      return;
    }
    const Node::Array* const items = node.array();
    if (items == nullptr) {
      problems_.add(node.mark, "expected array of tables " + shown_name(table) + ", got " +
                                   describe(node) + ": there may be several, so each is written " +
                                   "with two brackets");
      return;
    }
    for (const Node& item : *items) {
      if (item.table() != nullptr) {
        tables.push_back(check_table(item, table, enclosing));
      } else {
        problems_.add(item.mark,
                      "expected a table in " + shown_name(table) + ", got " + describe(item));
      }
    }
  }

  const Catalogue& catalogue_;
  const Mark root_mark_;
  Problems& problems_;
  UnknownKeys unknown_keys_;
};

}  // namespace

const CheckedKey* CheckedTable::find(std::string_view key) const {
  const auto found = std::find_if(keys.begin(), keys.end(),
                                  [&](const CheckedKey& known) { return known.name == key; });
  return found == keys.end() ? nullptr : &*found;
}

const std::vector<CheckedTable>& CheckedTable::inside(std::string_view child) const {
  static const std::vector<CheckedTable> none;
  for (const auto& [name, tables] : children) {
    if (name == child) return tables;
  }
  return none;
}

CheckedTable check_recipe(const Node& root, const Catalogue& catalogue, Problems& problems) {
  return TreeChecker(catalogue, root.mark, problems).check_root(root);
}

}  // namespace hob::recipe
