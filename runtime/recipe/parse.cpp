#include "recipe/parse.h"

#include <algorithm>
#include <string>
#include <utility>

#include "base/text.h"
#include "recipe/problems.h"

// The one file that knows toml++. It parses into its own tree, which is copied into ours.
#define TOML_ENABLE_FORMATTERS 0
#define TOML_MAX_NESTED_VALUES 32  // recipes need 4
#include <toml++/toml.h>

namespace hob::recipe {
namespace {

// toml++ limits how deep values nest, but not dotted keys, and frees its tree by recursion: a line
// of a million dots would end the program. No key of a recipe has more parts than this.
constexpr int kMostKeyParts = 32;

bool is_key_char(char c) {
  const bool letter_or_digit =
      (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9');
  return letter_or_digit || c == '_' || c == '-' || c == '"' || c == '\'' ||
         static_cast<unsigned char>(c) >= 0x80;
}

// The line of the first key of too many parts; 0 for none.
int find_deep_key(std::string_view text) {
  int parts = 1;
  bool after_key = false;  // a dot counts where it follows a part
  bool after_dot = false;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    if (is_key_char(c)) {
      if (after_key && !after_dot && !is_key_char(text[i - 1])) parts = 1;
      after_key = true;
      after_dot = false;
    } else if (c == '.' && after_key && !after_dot) {
      after_dot = true;
      if (++parts > kMostKeyParts) {
        return 1 + static_cast<int>(
                       std::count(text.begin(), text.begin() + static_cast<long>(i), '\n'));
      }
    } else if (c != ' ' && c != '\t') {
      parts = 1;
      after_key = after_dot = false;
    }
  }
  return 0;
}

class Converter {
 public:
  explicit Converter(std::shared_ptr<const Source> source) : source_(std::move(source)) {}

  Node convert(const toml::node& node) const {
    Node result;
    result.mark = mark(node.source());
    if (const auto* table = node.as_table()) {
      Node::Table entries;
      for (const auto& [key, value] : *table) {
        entries.push_back({std::string(key.str()), mark(key.source()), convert(value)});
      }
      result.data = std::move(entries);
    } else if (const auto* array = node.as_array()) {
      Node::Array items;
      for (const toml::node& item : *array) items.push_back(convert(item));
      result.data = std::move(items);
    } else if (const auto* text = node.as_string()) {
      result.data = text->get();
    } else if (const auto* integer = node.as_integer()) {
      result.data = integer->get();
    } else if (const auto* number = node.as_floating_point()) {
      result.data = number->get();
    } else if (const auto* boolean = node.as_boolean()) {
      result.data = boolean->get();
    } else {
      result.data = Date{};
    }
    return result;
  }

 private:
  Mark mark(const toml::source_region& region) const {
    return {source_, static_cast<int>(region.begin.line), static_cast<int>(region.begin.column)};
  }

  std::shared_ptr<const Source> source_;
};

// An override has no lines: all of it is at one place.
void place_at(Node& node, const Mark& mark) {
  node.mark = mark;
  if (Node::Array* const items = node.array()) {
    for (Node& item : *items) place_at(item, mark);
  } else if (Node::Table* const entries = node.table()) {
    for (Entry& entry : *entries) {
      entry.mark = mark;
      place_at(entry.value, mark);
    }
  }
}

std::string explain(const toml::parse_error& failure) {
  constexpr std::string_view kPrefix = "Error while parsing ";
  std::string_view description = failure.description();
  if (description.starts_with(kPrefix)) description.remove_prefix(kPrefix.size());
  return "not valid TOML: " + std::string(description);
}

}  // namespace

Node parse_toml(std::string_view text, const std::shared_ptr<const Source>& source) {
  if (const int line = find_deep_key(text); line != 0) {
    raise_at({source, line, 1}, "not valid in a recipe: a key of more than " +
                                    std::to_string(kMostKeyParts) + " dotted parts");
  }
  try {
    const toml::table table = toml::parse(text, std::string_view(source->name));
    Node root = Converter(source).convert(table);
    root.mark = {source, 0, 0};
    return root;
  } catch (const toml::parse_error& failure) {
    const toml::source_position place = failure.source().begin;
    raise_at({source, static_cast<int>(place.line), static_cast<int>(place.column)},
             explain(failure));
  }
}

std::optional<Node> parse_toml_value(std::string_view text, const Mark& mark) {
  // A line break could smuggle in further keys.
  if (text.find_first_of("\r\n") != std::string_view::npos) return std::nullopt;
  try {
    const std::string line = "value = " + std::string(text);
    if (find_deep_key(line) != 0) return std::nullopt;
    const toml::table table = toml::parse(std::string_view(line));
    Node value = Converter(mark.source).convert(*table.get("value"));
    place_at(value, mark);
    return value;
  } catch (const toml::parse_error&) {
    return std::nullopt;
  }
}

}  // namespace hob::recipe
