#include "app/verify_params.h"

#include <algorithm>
#include <filesystem>
#include <memory>

#include "base/error.h"
#include "base/text.h"
#include "recipe/check_value.h"
#include "recipe/parse.h"

namespace hob::app {
namespace {

struct Given {
  std::string name, value;
};

Given parse(const std::string& text) {
  const std::size_t equals = text.find('=');
  if (equals == 0 || equals == std::string::npos) {
    throw Error(Fault::kUsage, "--param " + quote(text) + ": expected name=value");
  }
  return {text.substr(0, equals), text.substr(equals + 1)};
}

// As on the command line of `hob run`: what is no TOML value is a string.
recipe::Node node_of(const Given& given) {
  auto source = std::make_shared<recipe::Source>();
  source->name = "command line: '--param " + given.name + "=" + given.value + "'";
  source->folder = std::filesystem::current_path();
  const recipe::Mark mark{source, 0, 0};
  if (auto node = recipe::parse_toml_value(given.value, mark)) return *node;
  return {given.value, mark};
}

}  // namespace

recipe::Params params_of(const recipe::ComponentSchema& component,
                         const std::vector<std::string>& given) {
  recipe::Params params;
  recipe::Problems problems;
  for (const std::string& text : given) {
    const Given one = parse(text);
    for (const recipe::ParamSchema& schema : component.params) {
      if (schema.name != one.name) continue;
      const std::string shown = quote(one.name) + " of " + component.kind + " " + component.name;
      auto value = recipe::check_value(node_of(one), schema, recipe::Form::kPlain, shown, problems);
      if (value) params.emplace_back(one.name, std::move(*value));
    }
  }
  problems.raise_if_any();
  return params;
}

void check_params(const std::vector<const recipe::ComponentSchema*>& components,
                  const std::vector<std::string>& given) {
  std::vector<std::string> known;
  for (const auto* component : components) {
    for (const recipe::ParamSchema& schema : component->params) known.push_back(schema.name);
  }
  for (const std::string& text : given) {
    const std::string name = parse(text).name;
    if (std::find(known.begin(), known.end(), name) != known.end()) continue;
    throw Error(Fault::kUsage, "--param: no component here has a parameter " + quote(name) +
                                   did_you_mean(name, known));
  }
  for (const auto* component : components) params_of(*component, given);
}

}  // namespace hob::app
