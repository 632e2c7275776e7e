#include "recipe/flatten.h"

#include <algorithm>
#include <stdexcept>
#include <type_traits>
#include <utility>

#include "base/text.h"
#include "recipe/enum_names.h"
#include "recipe/fields.h"
#include "recipe/toml_text.h"

namespace hob::recipe {
namespace {

Value value_of(bool member) {
  return member;
}
Value value_of(std::int64_t member) {
  return member;
}
Value value_of(double member) {
  return member;
}
Value value_of(const std::string& member) {
  return member;
}
Value value_of(const std::filesystem::path& member) {
  return member.string();
}
Value value_of(const std::vector<std::string>& member) {
  return member;
}
Value value_of(const Duration& member) {
  return format_duration(member);
}
Value value_of(const AutoCount& member) {
  return member.is_auto() ? Value("auto") : Value(member.value);
}
template <class T>
requires std::is_enum_v<T> Value value_of(T member) {
  return enum_name(member);
}

std::string text_of(const Value& value, const ParamSchema& schema) {
  const auto* const bytes = std::get_if<std::int64_t>(&value);
  const bool is_size = schema.type == ParamType::kSize && bytes != nullptr && *bytes >= 0;
  return is_size ? toml_string(format_size(*bytes)) : toml_value(value);
}

class Flattener {
 public:
  std::vector<FlatTable> flatten(const Recipe& recipe) {
    host("run", recipe.run);
    component("model", recipe.model.component);
    host("model.weights", recipe.model.weights);
    if (recipe.tokenizer) component("tokenizer", *recipe.tokenizer);
    dataset("dataset.train", recipe.train_data);
    if (recipe.eval_data) dataset("dataset.eval", *recipe.eval_data);
    host("loader", recipe.loader);
    component("objective", recipe.objective);
    list("metric", recipe.metrics);
    optimizer(recipe.optimizer);
    component("schedule", recipe.schedule.component);
    add_fields(tables_.back(), recipe.schedule);
    component("precision", recipe.precision);
    list("memory", recipe.memory);
    list("compression", recipe.compression);
    list("callback", recipe.callbacks);
    list("monitor", recipe.monitors);
    host("train", recipe.train);
    host("eval", recipe.eval);
    host("checkpoint", recipe.checkpoint);
    host("export", recipe.exports);
    if (!recipe.lock.empty()) lock(recipe.lock);
    return std::move(tables_);
  }

 private:
  FlatTable& start(const std::string& path, int index = -1) {
    const std::string id = index < 0 ? path : path + "." + std::to_string(index);
    tables_.push_back({find_host_table(path), id, "", {}});
    return tables_.back();
  }

  template <class T>
  static void add_fields(FlatTable& table, const T& fields) {
    each_field(fields, [&](const char* name, const auto& member) {
      const ParamSchema& schema = find_key(*table.schema, name)->schema;
      if constexpr (requires { member.has_value(); }) {
        if (member) table.keys.push_back({name, text_of(value_of(*member), schema), &schema});
      } else {
        table.keys.push_back({name, text_of(value_of(member), schema), &schema});
      }
    });
  }

  template <class T>
  void host(const std::string& path, const T& fields, int index = -1) {
    add_fields(start(path, index), fields);
  }

  static void add_params(FlatTable& table, const Params& params, const ComponentSchema& schema) {
    for (const auto& [name, value] : params) {
      const auto declared =
          std::find_if(schema.params.begin(), schema.params.end(),
                       [&name = name](const ParamSchema& param) { return param.name == name; });
      if (declared == schema.params.end()) {
        throw std::logic_error(schema.name + " declares no " + name);
      }
      table.keys.push_back({name, text_of(value, *declared), &*declared});
    }
  }

  void component(const std::string& path, const Component& component, int index = -1) {
    FlatTable& table = start(path, index);
    table.use = component.use;
    add_params(table, component.params, *component.schema);
  }

  void list(const std::string& path, const std::vector<Component>& components) {
    int index = 0;
    for (const Component& item : components) component(path, item, index++);
  }

  void dataset(const std::string& path, const Dataset& dataset) {
    component(path, dataset.component);
    list(path + ".transform", dataset.transforms);
  }

  void optimizer(const Optimizer& optimizer) {
    component("optimizer", optimizer.component);
    const std::size_t place = tables_.size() - 1;
    add_fields(tables_.back(), optimizer);
    int index = 0;
    for (const OptimizerGroup& group : optimizer.groups) {
      FlatTable& table = start("optimizer.group", index++);
      add_fields(table, group);
      add_params(table, group.params, *optimizer.component.schema);
      const std::vector<FlatKey>& inherited = tables_[place].keys;
      std::erase_if(table.keys, [&](const FlatKey& key) {
        return std::any_of(inherited.begin(), inherited.end(), [&](const FlatKey& outer) {
          return outer.name == key.name && outer.text == key.text;
        });
      });
    }
  }

  void lock(const Lock& lock) {
    host("lock", lock);
    int index = 0;
    for (const LockedPlugin& plugin : lock.plugins) host("lock.plugin", plugin, index++);
    index = 0;
    for (const LockedFile& file : lock.files) host("lock.file", file, index++);
  }

  std::vector<FlatTable> tables_;
};

}  // namespace

std::vector<FlatTable> flatten(const Recipe& recipe) {
  return Flattener().flatten(recipe);
}

}  // namespace hob::recipe
