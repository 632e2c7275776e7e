#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "recipe/component_schema.h"

namespace hob::recipe {

// The recipe's tables as data: which there are and the host's own keys in them. Recipes are checked
// against it, and the reference page and the JSON Schema for editors are written from it.

// What a value must be beyond its ParamType.
enum class Form {
  kPlain,
  kDuration,       // a string that parse_duration reads
  kPeriod,         // a duration above 0
  kTime,           // a duration above 0 in units of time
  kCountOrAuto,    // an integer, or "auto"
  kPositiveOrInf,  // a float above 0; inf means off
  kNonEmpty,       // a string with something in it
  kDevice,         // "auto", "cpu", "cuda", "cuda:N"
};

struct HostKey {
  ParamSchema schema;
  Form form = Form::kPlain;
  bool required = false;             // else: the default, or absent where there is none
  std::string default_note;          // in words, where the default depends on other keys
  std::vector<std::string> aliases;  // what people write instead; for "did you mean" only
};

enum class Presence {
  kAlways,    // filled with defaults where it is not written
  kRequired,  // an error where it is not written
  kOptional,  // means something by being there
  kRepeated,  // an array of tables: [[metric]]
};

struct HostTable {
  std::string path{};  // "loader", "dataset.train.transform"; "" is the top level
  Presence presence = Presence::kAlways;
  std::string summary{};
  std::string kind{};            // of the component that `use` names; "" for a table without one
  std::string default_use{};     // the component where none is named; "" where one must be
  bool inherits_params = false;  // takes any parameter of the component it is in
  bool numerics = true;          // adding, removing or replacing it changes the trained weights
  bool may_change_on_resume = false;
  std::vector<HostKey> keys{};
};

// Where they are written: host_tables.cpp. In the order in which a recipe is written. A table
// stands before those inside it.
const std::vector<HostTable>& host_tables();

// Null where there is no such table.
const HostTable* find_host_table(std::string_view path);

// The names of the tables directly inside one: "weights" in "model".
std::vector<std::string> child_tables(const HostTable& table);

// "[optimizer]", "[[metric]]", "the top level": how messages name a table.
std::string shown_name(const HostTable& table);

const HostKey* find_key(const HostTable& table, std::string_view name);

// The names that a component of this kind cannot give to a parameter, as the host takes them.
std::vector<std::string> reserved_names(std::string_view kind);

}  // namespace hob::recipe
