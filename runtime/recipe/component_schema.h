#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <variant>
#include <vector>

namespace hob::recipe {

// What a component declares of itself in its plugin's descriptor. The recipe is validated against
// these, `hob list` and `hob describe` print them, and no code of the plugin runs for any of it.

// A value of a component's parameter, as written in a recipe or as a declared default.
using Value = std::variant<bool, std::int64_t, double, std::string, std::vector<std::int64_t>,
                           std::vector<double>, std::vector<std::string>>;

enum class ParamType {
  kBool,        // true | false
  kInt,         // 64-bit signed; a TOML float is refused
  kFloat,       // finite; a TOML integer is accepted
  kString,      //
  kPath,        // a string; relative to the recipe's folder
  kSize,        // bytes: an integer, or "22GiB"; arrives as kInt
  kIntList,     //
  kFloatList,   //
  kStringList,  //
};

struct ParamSchema {
  std::string name;
  ParamType type = ParamType::kFloat;
  std::string unit;                    // "" when it has none
  std::string help;                    // one line
  std::optional<Value> default_value;  // none: the recipe must give it
  std::optional<double> min;           // numbers, and each element of a list of numbers
  std::optional<double> max;
  bool min_open = false;  // min itself is refused
  bool max_open = false;
  std::vector<std::string> choices;  // strings; empty: any
  bool numerics = true;              // changing it changes the trained weights
  bool may_change_on_resume = false;
};

struct ComponentSchema {
  std::string plugin_id;  // "org.hob.resnet"
  std::string plugin_version;
  std::string kind;                    // "optimizer": the recipe's table, the folder, the registry
  std::string name;                    // "adamw": what `use` says
  std::string interface;               // "hob.optimizer/1"
  std::string summary;                 // one line
  std::vector<std::string> traits;     // e.g. "weight_decay", "skip_flag", "decomposable"
  std::vector<std::string> provides;   // free names; composition is checked with the two below
  std::vector<std::string> needs;      // each must be provided by some component of the recipe
  std::vector<std::string> conflicts;  // none may be provided by another component of the recipe
  std::vector<ParamSchema> params;
};

}  // namespace hob::recipe
