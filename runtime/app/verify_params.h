#pragma once

#include <string>
#include <vector>

#include "recipe/recipe.h"

namespace hob::app {

// Values given as "name=value", checked as in a recipe, for those of the component's parameters
// that are among them. Throws Error (usage) with all that is wrong.
recipe::Params params_of(const recipe::ComponentSchema& component,
                         const std::vector<std::string>& given);

// Throws Error (usage) where a name is no parameter of any of the components, or a value is wrong.
void check_params(const std::vector<const recipe::ComponentSchema*>& components,
                  const std::vector<std::string>& given);

}  // namespace hob::app
