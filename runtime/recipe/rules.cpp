#include "recipe/rules.h"

#include <algorithm>
#include <functional>

#include "base/text.h"

namespace hob::recipe {
namespace {

bool contains(const std::vector<std::string>& names, const std::string& name) {
  return std::find(names.begin(), names.end(), name) != names.end();
}

std::string shown(const CheckedTable& table) {
  return table.schema->kind + " " + quote(table.use);
}

void for_each_table(const CheckedTable& table,
                    const std::function<void(const CheckedTable&)>& visit) {
  visit(table);
  for (const auto& [name, tables] : table.children) {
    for (const CheckedTable& child : tables) for_each_table(child, visit);
  }
}

const CheckedTable* only(const CheckedTable& root, std::string_view name) {
  const std::vector<CheckedTable>& tables = root.inside(name);
  return tables.empty() ? nullptr : &tables.front();
}

template <class T>
const T* value_of(const CheckedTable& table, std::string_view key) {
  const CheckedKey* const found = table.find(key);
  return found == nullptr ? nullptr : std::get_if<T>(&found->value);
}

class Rules {
 public:
  Rules(const CheckedTable& root, const Catalogue& catalogue, Problems& problems)
      : root_(root), catalogue_(catalogue), problems_(problems) {
    for_each_table(root, [&](const CheckedTable& table) {
      if (table.component != nullptr) components_.push_back(&table);
    });
  }

  void check_components() {
    for (const CheckedTable* component : components_) {
      check_needs(*component);
      check_conflicts(*component);
    }
  }

  void check_weight_decay() {
    const CheckedTable* const optimizer = only(root_, "optimizer");
    if (optimizer == nullptr || optimizer->component == nullptr) return;
    if (contains(optimizer->component->traits, "weight_decay")) return;
    const auto check = [&](const CheckedTable& table) {
      const double* const decay = value_of<double>(table, "weight_decay");
      if (decay == nullptr || *decay == 0) return;
      problems_.add(table.find("weight_decay")->mark,
                    shown(*optimizer) + " applies no weight decay; remove 'weight_decay'" +
                        optimizers_with_decay());
    };
    check(*optimizer);
    for (const CheckedTable& group : optimizer->inside("group")) check(group);
  }

  void check_groups() {
    const CheckedTable* const optimizer = only(root_, "optimizer");
    if (optimizer == nullptr) return;
    for (const CheckedTable& group : optimizer->inside("group")) {
      check_patterns(group, "match");
      const auto* const match = value_of<std::vector<std::string>>(group, "match");
      if (match != nullptr && match->empty()) {
        problems_.add(group.find("match")->mark,
                      "'match' in [[optimizer.group]] is empty: the group would hold nothing");
      }
    }
  }

  void check_weights() {
    const CheckedTable* const model = only(root_, "model");
    const CheckedTable* const weights = model == nullptr ? nullptr : only(*model, "weights");
    if (weights == nullptr) return;
    check_patterns(*weights, "reset");
    check_patterns(*weights, "freeze");
    const auto* const path = value_of<std::string>(*weights, "path");
    const auto* const reset = value_of<std::vector<std::string>>(*weights, "reset");
    if (path != nullptr && path->empty() && reset != nullptr && !reset->empty()) {
      problems_.add(weights->find("reset")->mark,
                    "'reset' in [model.weights] needs 'path': without a file of weights there is "
                    "nothing to leave out");
    }
  }

  void check_loader() {
    const CheckedTable* const loader = only(root_, "loader");
    if (loader == nullptr) return;
    const auto* const batch = value_of<std::int64_t>(*loader, "batch_size");
    const auto* const micro = value_of<std::int64_t>(*loader, "micro_batch");
    if (batch != nullptr && micro != nullptr && *micro > *batch) {
      problems_.add(loader->find("micro_batch")->mark,
                    "'micro_batch' in [loader]: " + std::to_string(*micro) +
                        " is more than batch_size, " + std::to_string(*batch) +
                        "; an update's batch is made of micro-batches");
    }
  }

  // `has_key` asks for what is written, right or wrong: one error a mistake is enough.
  void check_end(const std::function<bool(std::string_view)>& has_key) {
    const CheckedTable* const train = only(root_, "train");
    if (train == nullptr || has_key("epochs") || has_key("updates") || has_key("max_time")) return;
    problems_.add(train->mark,
                  "missing key in [train]: one of 'epochs', 'updates' or 'max_time' must say when "
                  "the training ends");
  }

  void check_best() {
    const CheckedTable* const checkpoint = only(root_, "checkpoint");
    const CheckedTable* const dataset = only(root_, "dataset");
    if (checkpoint == nullptr || dataset == nullptr) return;
    const auto* const best = value_of<std::string>(*checkpoint, "best");
    if (best == nullptr || best->empty() || !dataset->inside("eval").empty()) return;
    problems_.add(checkpoint->find("best")->mark,
                  "'best' in [checkpoint]: a metric of the evaluation, and there is no "
                  "[dataset.eval]");
  }

 private:
  void check_needs(const CheckedTable& table) {
    for (const std::string& need : table.component->needs) {
      const bool provided = std::any_of(
          components_.begin(), components_.end(),
          [&](const CheckedTable* other) { return contains(other->component->provides, need); });
      if (provided) continue;
      std::vector<std::string> providers;
      for (const ComponentSchema& component : catalogue_.components()) {
        if (contains(component.provides, need)) {
          providers.push_back(component.kind + " " + quote(component.name));
        }
      }
      problems_.add(table.mark, shown(table) + " needs " + quote(need) +
                                    ", which no component of the recipe provides; " +
                                    (providers.empty() ? "nor does any that was found"
                                                       : "add " + join(providers, " or ")));
    }
  }

  void check_conflicts(const CheckedTable& table) {
    for (const std::string& conflict : table.component->conflicts) {
      for (const CheckedTable* other : components_) {
        if (other == &table || !contains(other->component->provides, conflict)) continue;
        problems_.add(table.mark, shown(table) + " conflicts with " + shown(*other) + " (" +
                                      to_string(other->mark.position()) + "), which provides " +
                                      quote(conflict) + "; remove one of them");
      }
    }
  }

  void check_patterns(const CheckedTable& table, const char* key) {
    const auto* const patterns = value_of<std::vector<std::string>>(table, key);
    if (patterns == nullptr || !contains(*patterns, "")) return;
    problems_.add(table.find(key)->mark,
                  quote(key) + " in " + shown_name(*table.schema) + ": an empty pattern");
  }

  std::string optimizers_with_decay() const {
    std::vector<std::string> names;
    for (const ComponentSchema* component : catalogue_.of_kind("optimizer")) {
      if (contains(component->traits, "weight_decay")) names.push_back(component->name);
    }
    return names.empty() ? "" : ", or use one that does: " + quote_all(names);
  }

  const CheckedTable& root_;
  const Catalogue& catalogue_;
  Problems& problems_;
  std::vector<const CheckedTable*> components_;
};

}  // namespace

void check_rules(const CheckedTable& root, const Node& tree, const Catalogue& catalogue,
                 Problems& problems) {
  Rules rules(root, catalogue, problems);
  rules.check_components();
  rules.check_weight_decay();
  rules.check_groups();
  rules.check_weights();
  rules.check_loader();
  rules.check_end([&](std::string_view key) {
    const Node* const train = tree.find("train");
    return train != nullptr && train->find(key) != nullptr;
  });
  rules.check_best();
}

}  // namespace hob::recipe
