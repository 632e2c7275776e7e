#include "app/component_json.h"

#include <stdexcept>

namespace hob::app {
namespace {

nlohmann::json to_json(const recipe::ParamSchema& param) {
  nlohmann::json json{
      {"name", param.name},         {"type", type_name(param.type)},
      {"unit", param.unit},         {"help", param.help},
      {"numerics", param.numerics}, {"may_change_on_resume", param.may_change_on_resume}};
  if (param.default_value) json["default"] = app::to_json(*param.default_value);
  if (param.min) json["min"] = *param.min;
  if (param.max) json["max"] = *param.max;
  if (param.min_open) json["min_open"] = true;
  if (param.max_open) json["max_open"] = true;
  if (!param.choices.empty()) json["choices"] = param.choices;
  return json;
}

}  // namespace

std::string type_name(recipe::ParamType type) {
  switch (type) {
    case recipe::ParamType::kBool:
      return "bool";
    case recipe::ParamType::kInt:
      return "int";
    case recipe::ParamType::kFloat:
      return "float";
    case recipe::ParamType::kString:
      return "string";
    case recipe::ParamType::kPath:
      return "path";
    case recipe::ParamType::kSize:
      return "size";
    case recipe::ParamType::kIntList:
      return "int_list";
    case recipe::ParamType::kFloatList:
      return "float_list";
    case recipe::ParamType::kStringList:
      return "string_list";
  }
  throw std::logic_error("a parameter type without a name");
}

nlohmann::json to_json(const recipe::Value& value) {
  return std::visit([](const auto& plain) { return nlohmann::json(plain); }, value);
}

nlohmann::json to_json(const recipe::ComponentSchema& component) {
  nlohmann::json json{{"kind", component.kind},           {"name", component.name},
                      {"interface", component.interface}, {"summary", component.summary},
                      {"traits", component.traits},       {"provides", component.provides},
                      {"needs", component.needs},         {"conflicts", component.conflicts},
                      {"params", nlohmann::json::array()}};
  for (const recipe::ParamSchema& param : component.params)
    json["params"].push_back(to_json(param));
  return json;
}

nlohmann::json to_json(const std::vector<host::Reason>& reasons) {
  nlohmann::json json = nlohmann::json::array();
  for (const host::Reason& reason : reasons) {
    json.push_back({{"needs", reason.needs}, {"but", reason.but}, {"fix", reason.fix}});
  }
  return json;
}

std::string dump(const nlohmann::json& json) {
  return json.dump(2, ' ', false, nlohmann::json::error_handler_t::replace);
}

}  // namespace hob::app
