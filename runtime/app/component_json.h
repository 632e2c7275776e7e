#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "host/registry.h"
#include "recipe/component_schema.h"

// What plugins declare of themselves, as JSON for scripts, with the descriptor's own keys.

namespace hob::app {

// "float": as the descriptor names the type.
std::string type_name(recipe::ParamType type);

nlohmann::json to_json(const recipe::Value& value);
nlohmann::json to_json(const recipe::ComponentSchema& component);  // without its plugin
nlohmann::json to_json(const std::vector<host::Reason>& reasons);

// A path may hold bytes that are no UTF-8: they are replaced.
std::string dump(const nlohmann::json& json);

}  // namespace hob::app
