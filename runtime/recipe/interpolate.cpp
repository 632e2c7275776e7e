#include "recipe/interpolate.h"

#include <charconv>
#include <cstdlib>
#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <utility>

#include "base/text.h"
#include "recipe/toml_text.h"

namespace hob::recipe {
namespace {

constexpr std::size_t kMostBytes = 65536;  // of one value: references may double it again and again
constexpr int kMostReferences = 10'000;
constexpr int kMostDepth = 32;  // of a reference to a reference to ...
constexpr std::string_view kOpen = "${";
constexpr std::string_view kEnv = "env:";

bool is_scalar(const Node& node) {
  return node.table() == nullptr && node.array() == nullptr &&
         !std::holds_alternative<Date>(node.data);
}

std::string as_text(const Node& scalar) {
  if (const std::string* const text = scalar.text()) return *text;
  if (const bool* const value = std::get_if<bool>(&scalar.data)) return *value ? "true" : "false";
  if (const auto* const value = std::get_if<std::int64_t>(&scalar.data)) {
    return std::to_string(*value);
  }
  return toml_float(std::get<double>(scalar.data));
}

class Interpolator {
 public:
  Interpolator(Node& root, Problems& problems) : root_(root), problems_(problems) {
    if (Node* const run = root.find("run")) run_dir_ = run->find("dir");
  }

  void expand_all(Node& node) {
    if (Node::Table* const entries = node.table()) {
      for (Entry& entry : *entries) expand_all(entry.value);
    } else if (Node::Array* const items = node.array()) {
      for (Node& item : *items) expand_all(item);
    } else {
      expand(node, 0);
    }
  }

 private:
  enum class State { kActive, kDone, kFailed };

  // False where the node's value depends on itself, or could not be had.
  bool expand(Node& node, int depth) {
    if (node.text() == nullptr) return true;
    // Most strings refer to nothing, and need no entry in the map.
    const bool refers = node.text()->find(kOpen) != std::string::npos;
    if (!refers && &node != run_dir_) return true;
    const auto [entry, is_new] = states_.try_emplace(&node, State::kActive);
    if (!is_new) return entry->second == State::kDone;
    if (refers && !replace(node, depth)) {
      states_[&node] = State::kFailed;
      return false;
    }
    if (&node == run_dir_ && node.text() != nullptr && !node.text()->empty()) {
      *node.text() = std::filesystem::absolute(*node.text()).lexically_normal().string();
    }
    states_[&node] = State::kDone;
    return true;
  }

  bool replace(Node& node, int depth) {
    const std::string written = *node.text();
    std::string result;
    std::string_view rest = written;
    while (true) {
      const std::size_t open = rest.find(kOpen);
      if (open == std::string_view::npos) break;
      if (open > 0 && rest[open - 1] == '$') {
        result.append(rest.substr(0, open - 1)).append(kOpen);
        rest.remove_prefix(open + kOpen.size());
        continue;
      }
      const std::size_t close = rest.find('}', open);
      if (close == std::string_view::npos) {
        return refuse(node, "'${' without '}' in " + quote(written) + "; write $${ for a plain ${");
      }
      const std::string name(rest.substr(open + kOpen.size(), close - open - kOpen.size()));
      const std::optional<Node> value = look_up(node, name, depth);
      if (!value) return false;
      if (open == 0 && close + 1 == written.size()) {
        node.data = value->data;
        return true;
      }
      result.append(rest.substr(0, open)).append(as_text(*value));
      rest.remove_prefix(close + 1);
      if (result.size() > kMostBytes) {
        return refuse(node, "the value grows beyond " + std::to_string(kMostBytes) + " bytes");
      }
    }
    *node.text() = result.append(rest);
    return true;
  }

  std::optional<Node> look_up(const Node& user, const std::string& name, int depth) {
    if (name.starts_with(kEnv)) {
      const std::string variable = name.substr(kEnv.size());
      const char* const value = std::getenv(variable.c_str());
      if (value != nullptr) return Node{std::string(value), user.mark};
      refuse(user, "the environment has no variable " + quote(variable) + ", which ${" + name +
                       "} asks for; set it, or write a value");
      return std::nullopt;
    }
    if (++references_ > kMostReferences) {
      if (references_ == kMostReferences + 1) {
        refuse(user, "more than " + std::to_string(kMostReferences) + " references in one recipe");
      }
      return std::nullopt;
    }
    Node* const target = find(name);
    if (target == nullptr) {
      refuse(user, "the recipe has no key " + quote(name) + ", which ${" + name + "} asks for");
    } else if (!is_scalar(*target)) {
      refuse(user, "${" + name + "} is " + describe(*target) + ", and not a single value");
    } else if (depth >= kMostDepth) {
      refuse(user, "${" + name + "} refers on and on, more than " + std::to_string(kMostDepth) +
                       " times");
    } else if (is_active(*target)) {
      refuse(user, "${" + name + "} depends on itself");
    } else if (expand(*target, depth + 1)) {
      return *target;
    }
    return std::nullopt;
  }

  bool is_active(Node& node) const {
    const auto found = states_.find(&node);
    return found != states_.end() && found->second == State::kActive;
  }

  Node* find(const std::string& name) {
    Node* node = &root_;
    for (const std::string& part : split(name, '.')) {
      if (Node::Array* const items = node->array()) {
        std::size_t index = 0;
        const char* const end = part.data() + part.size();
        const auto [after, failure] = std::from_chars(part.data(), end, index);
        if (failure != std::errc{} || after != end || index >= items->size()) return nullptr;
        node = &(*items)[index];
      } else {
        node = node->find(part);
      }
      if (node == nullptr) return nullptr;
    }
    return node;
  }

  bool refuse(const Node& node, std::string why) {
    problems_.add(node.mark, std::move(why));
    return false;
  }

  Node& root_;
  Problems& problems_;
  Node* run_dir_ = nullptr;
  int references_ = 0;
  std::map<Node*, State> states_;
};

}  // namespace

void interpolate(Node& root, Problems& problems) {
  Interpolator(root, problems).expand_all(root);
}

}  // namespace hob::recipe
