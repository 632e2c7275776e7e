#include "recipe/tree.h"

#include <algorithm>
#include <tuple>
#include <utility>

#include "base/text.h"
#include "recipe/toml_text.h"

namespace hob::recipe {

std::string to_string(const Position& position) {
  if (position.line == 0) return position.file;
  return position.file + ":" + std::to_string(position.line) + ":" +
         std::to_string(position.column);
}

Position Mark::position() const {
  return {source ? source->name : "", line, column};
}

bool Mark::operator<(const Mark& other) const {
  const int rank = source ? source->rank : 0;
  const int other_rank = other.source ? other.source->rank : 0;
  return std::tie(rank, line, column) < std::tie(other_rank, other.line, other.column);
}

const Node* Node::find(std::string_view key) const {
  const Table* const entries = table();
  if (entries == nullptr) return nullptr;
  const auto found = std::find_if(entries->begin(), entries->end(),
                                  [&](const Entry& entry) { return entry.key == key; });
  return found == entries->end() ? nullptr : &found->value;
}

Node* Node::find(std::string_view key) {
  return const_cast<Node*>(std::as_const(*this).find(key));
}

void Node::set(std::string key, Mark key_mark, Node value) {
  Table& entries = std::get<Table>(data);
  const auto found = std::find_if(entries.begin(), entries.end(),
                                  [&](const Entry& entry) { return entry.key == key; });
  Entry entry{std::move(key), std::move(key_mark), std::move(value)};
  if (found == entries.end()) {
    entries.push_back(std::move(entry));
  } else {
    *found = std::move(entry);
  }
}

bool Node::erase(std::string_view key) {
  return std::erase_if(std::get<Table>(data),
                       [&](const Entry& entry) { return entry.key == key; }) > 0;
}

Node empty_table(Mark mark) {
  return {Node::Table{}, std::move(mark)};
}

std::string describe(const Node& node) {
  struct Describe {
    std::string operator()(bool value) const { return value ? "boolean true" : "boolean false"; }
    std::string operator()(std::int64_t value) const { return "integer " + std::to_string(value); }
    std::string operator()(double value) const { return "float " + toml_float(value); }
    std::string operator()(const std::string& value) const { return "string " + quote(value); }
    std::string operator()(Date) const { return "date"; }
    std::string operator()(const Node::Array& items) const {
      const bool tables = !items.empty() && items.front().table() != nullptr;
      return tables ? "array of tables" : "array";
    }
    std::string operator()(const Node::Table&) const { return "table"; }
  };
  return std::visit(Describe{}, node.data);
}

}  // namespace hob::recipe
