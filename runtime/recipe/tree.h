#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "recipe/recipe.h"

namespace hob::recipe {

// A recipe as it was written, before it means anything: TOML values that know their place.

// One text that values come from: a file, or one override of the command line.
struct Source {
  std::string name;              // as shown: "recipe.toml", "command line: 'a.b=v'"
  std::filesystem::path folder;  // what relative paths in it are relative to
  int rank = 0;                  // errors are shown by rank: the recipe, its bases, overrides
};

struct Mark {
  std::shared_ptr<const Source> source;
  int line = 0;  // from 1; 0: the source as a whole
  int column = 0;

  Position position() const;
  bool operator<(const Mark& other) const;
};

struct Date {};  // dates and times: known only to be refused by name

struct Entry;

struct Node {
  using Array = std::vector<Node>;
  using Table = std::vector<Entry>;  // keys are unique

  std::variant<bool, std::int64_t, double, std::string, Date, Array, Table> data;
  Mark mark;

  Table* table() { return std::get_if<Table>(&data); }
  const Table* table() const { return std::get_if<Table>(&data); }
  Array* array() { return std::get_if<Array>(&data); }
  const Array* array() const { return std::get_if<Array>(&data); }
  std::string* text() { return std::get_if<std::string>(&data); }
  const std::string* text() const { return std::get_if<std::string>(&data); }

  // The value under a key of a table; null where there is none, or where this is no table.
  Node* find(std::string_view key);
  const Node* find(std::string_view key) const;

  // Both need a table. `set` replaces, `erase` says whether the key was there.
  void set(std::string key, Mark key_mark, Node value);
  bool erase(std::string_view key);
};

struct Entry {
  std::string key;
  Mark mark;  // of the key
  Node value;
};

Node empty_table(Mark mark);

// "string '1'", "float 2.0", "boolean true", "date", "table".
std::string describe(const Node& node);

}  // namespace hob::recipe
