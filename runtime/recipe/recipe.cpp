#include "recipe/recipe.h"

#include <algorithm>
#include <stdexcept>

namespace hob::recipe {

const Value& Component::param(std::string_view name) const {
  for (const auto& [known, value] : params) {
    if (known == name) return value;
  }
  throw std::logic_error(kind + " '" + use + "' declares no parameter '" + std::string(name) + "'");
}

bool Component::has_trait(std::string_view trait) const {
  return std::find(schema->traits.begin(), schema->traits.end(), trait) != schema->traits.end();
}

std::vector<const Component*> Recipe::components() const {
  std::vector<const Component*> all{&model.component};
  const auto add_list = [&](const std::vector<Component>& list) {
    for (const Component& component : list) all.push_back(&component);
  };
  const auto add_dataset = [&](const Dataset& dataset) {
    all.push_back(&dataset.component);
    add_list(dataset.transforms);
  };
  if (tokenizer) all.push_back(&*tokenizer);
  add_dataset(train_data);
  if (eval_data) add_dataset(*eval_data);
  all.push_back(&objective);
  add_list(metrics);
  all.push_back(&optimizer.component);
  all.push_back(&schedule.component);
  all.push_back(&precision);
  add_list(memory);
  add_list(compression);
  add_list(callbacks);
  add_list(monitors);
  return all;
}

}  // namespace hob::recipe
