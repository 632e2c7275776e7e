#include "recipe/resolve.h"

#include <algorithm>

#include "recipe/enum_names.h"
#include "recipe/fields.h"

namespace hob::recipe {
namespace {

// A checked value to a member of a struct: its declaration and the member agree (tested).
void assign(const Value& value, bool& member) {
  member = std::get<bool>(value);
}
void assign(const Value& value, std::int64_t& member) {
  member = std::get<std::int64_t>(value);
}
void assign(const Value& value, double& member) {
  member = std::get<double>(value);
}
void assign(const Value& value, std::string& member) {
  member = std::get<std::string>(value);
}
void assign(const Value& value, std::filesystem::path& member) {
  member = std::get<std::string>(value);
}
void assign(const Value& value, std::vector<std::string>& member) {
  member = std::get<std::vector<std::string>>(value);
}
void assign(const Value& value, Duration& member) {
  member = parse_duration(std::get<std::string>(value));
}
void assign(const Value& value, AutoCount& member) {
  const auto* const count = std::get_if<std::int64_t>(&value);
  member = {count == nullptr ? 0 : *count};
}
template <class T>
requires std::is_enum_v<T>
void assign(const Value& value, T& member) {
  member = enum_value<T>(std::get<std::string>(value));
}
template <class T>
void assign(const Value& value, std::optional<T>& member) {
  assign(value, member.emplace());
}

// Keys that are absent leave their member as it is.
template <class T>
void read_fields(const CheckedTable& table, T& target) {
  each_field(target, [&](const char* name, auto& member) {
    if (const CheckedKey* const key = table.find(name)) assign(key->value, member);
  });
}

template <class T>
T read(const CheckedTable& table) {
  T target;
  read_fields(table, target);
  return target;
}

Params read_params(const std::vector<CheckedKey>& keys) {
  Params params;
  for (const CheckedKey& key : keys) params.emplace_back(key.name, key.value);
  return params;
}

class Resolver {
 public:
  explicit Resolver(const Catalogue& catalogue) : catalogue_(catalogue) {}

  Recipe resolve(const CheckedTable& root) const {
    const CheckedTable& dataset = only(root, "dataset");
    Recipe recipe;
    recipe.path = root.mark.source->name;
    recipe.run = read<Run>(only(root, "run"));
    recipe.model.component = component(only(root, "model"));
    recipe.model.weights = read<Weights>(only(only(root, "model"), "weights"));
    for (const CheckedTable& table : root.inside("tokenizer")) recipe.tokenizer = component(table);
    recipe.train_data = read_dataset(only(dataset, "train"));
    for (const CheckedTable& eval : dataset.inside("eval")) recipe.eval_data = read_dataset(eval);
    recipe.objective = component(only(root, "objective"));
    recipe.metrics = components(root, "metric");
    recipe.optimizer = read_optimizer(only(root, "optimizer"));
    recipe.schedule = read<Schedule>(only(root, "schedule"));
    recipe.schedule.component = component(only(root, "schedule"));
    recipe.precision = component(only(root, "precision"));
    recipe.memory = components(root, "memory");
    recipe.compression = components(root, "compression");
    recipe.callbacks = components(root, "callback");
    recipe.monitors = components(root, "monitor");
    recipe.train = read<Train>(only(root, "train"));
    recipe.checkpoint = read<Checkpoint>(only(root, "checkpoint"));
    recipe.exports = read<Export>(only(root, "export"));
    recipe.lock = read_lock(only(root, "lock"));
    read_batch_sizes(root, recipe);
    return recipe;
  }

 private:
  static const CheckedTable& only(const CheckedTable& parent, std::string_view name) {
    return parent.inside(name).at(0);
  }

  Component component(const CheckedTable& table) const {
    return {table.schema->kind, catalogue_.shortest_use(*table.component), table.component,
            read_params(table.params), table.mark.position()};
  }

  std::vector<Component> components(const CheckedTable& parent, std::string_view name) const {
    std::vector<Component> found;
    for (const CheckedTable& table : parent.inside(name)) found.push_back(component(table));
    return found;
  }

  Dataset read_dataset(const CheckedTable& table) const {
    return {component(table), components(table, "transform")};
  }

  Optimizer read_optimizer(const CheckedTable& table) const {
    Optimizer optimizer = read<Optimizer>(table);
    optimizer.component = component(table);
    for (const CheckedTable& group_table : table.inside("group")) {
      OptimizerGroup group;
      group.lr = optimizer.lr;
      group.weight_decay = optimizer.weight_decay;
      read_fields(group_table, group);
      group.params = optimizer.component.params;
      for (auto& [name, value] : group.params) {
        for (const CheckedKey& own : group_table.params) {
          if (own.name == name) value = own.value;
        }
      }
      group.where = group_table.mark.position();
      optimizer.groups.push_back(std::move(group));
    }
    return optimizer;
  }

  static Lock read_lock(const CheckedTable& table) {
    Lock lock = read<Lock>(table);
    for (const CheckedTable& plugin : table.inside("plugin")) {
      lock.plugins.push_back(read<LockedPlugin>(plugin));
    }
    for (const CheckedTable& file : table.inside("file")) {
      lock.files.push_back(read<LockedFile>(file));
    }
    return lock;
  }

  // The defaults that follow from other keys.
  static void read_batch_sizes(const CheckedTable& root, Recipe& recipe) {
    recipe.loader = read<Loader>(only(root, "loader"));
    Loader& loader = recipe.loader;
    if (only(root, "loader").find("micro_batch") == nullptr) {
      loader.micro_batch = {loader.batch_size};
    }
    recipe.eval = read<Eval>(only(root, "eval"));
    if (recipe.eval.batch_size == 0) {
      recipe.eval.batch_size =
          loader.micro_batch.is_auto() ? loader.batch_size : loader.micro_batch.value;
    }
  }

  const Catalogue& catalogue_;
};

}  // namespace

Recipe resolve_recipe(const CheckedTable& root, const Catalogue& catalogue) {
  return Resolver(catalogue).resolve(root);
}

}  // namespace hob::recipe
