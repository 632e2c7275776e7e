#include "host/descriptor_node.h"

#include "base/error.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace hob::host {
namespace {

constexpr std::size_t kMaxNameBytes = 128;

bool is_lower_or_digit(char c) {
  return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9');
}

bool is_letter_or_digit(char c) {
  return is_lower_or_digit(c) || (c >= 'A' && c <= 'Z');
}

// The value as it stands, shortened.
std::string shown(const nlohmann::json& value) {
  constexpr std::size_t kMaxShown = 60;
  std::string text = value.dump(-1, ' ', true);  // ASCII only: cutting it breaks no character
  if (text.size() > kMaxShown) text = text.substr(0, kMaxShown) + "...";
  return text;
}

}  // namespace

void DescriptorNode::fail(const std::string& what) const {
  const std::string place = place_.empty() ? "" : place_ + ": ";
  throw Error(Fault::kPlugin, "descriptor: " + place + what);
}

bool DescriptorNode::has(const std::string& key) const {
  if (!value_->is_object()) fail("found " + shown(*value_) + ", expected an object");
  return value_->contains(key);
}

DescriptorNode DescriptorNode::at(const std::string& key) const {
  if (!has(key)) fail("the key \"" + key + "\" is missing");
  return DescriptorNode((*value_)[key], place_.empty() ? key : place_ + "." + key);
}

std::vector<DescriptorNode> DescriptorNode::items() const {
  if (!value_->is_array()) fail("found " + shown(*value_) + ", expected a list");
  std::vector<DescriptorNode> nodes;
  for (std::size_t i = 0; i < value_->size(); ++i) {
    nodes.emplace_back((*value_)[i], place_ + "[" + std::to_string(i) + "]");
  }
  return nodes;
}

std::vector<DescriptorNode> DescriptorNode::items(const std::string& key) const {
  return has(key) ? at(key).items() : std::vector<DescriptorNode>{};
}

bool DescriptorNode::as_bool() const {
  if (!value_->is_boolean()) fail("found " + shown(*value_) + ", expected true or false");
  return value_->get<bool>();
}

std::int64_t DescriptorNode::as_int() const {
  const bool fits = value_->is_number_integer() &&
                    (!value_->is_number_unsigned() ||
                     value_->get<std::uint64_t>() <=
                         static_cast<std::uint64_t>(std::numeric_limits<std::int64_t>::max()));
  if (!fits) fail("found " + shown(*value_) + ", expected a 64-bit integer");
  return value_->get<std::int64_t>();
}

double DescriptorNode::as_float() const {
  if (!value_->is_number() || !std::isfinite(value_->get<double>())) {
    fail("found " + shown(*value_) + ", expected a number");
  }
  return value_->get<double>();
}

std::string DescriptorNode::as_text() const {
  if (!value_->is_string()) fail("found " + shown(*value_) + ", expected a string");
  auto text = value_->get<std::string>();
  const auto is_control = [](unsigned char c) { return c < 0x20 || c == 0x7f; };
  if (std::any_of(text.begin(), text.end(), is_control)) {
    fail("found " + shown(*value_) + ", expected one line without control characters");
  }
  return text;
}

std::string DescriptorNode::as_name() const {
  std::string text = as_text();
  const auto is_allowed = [](char c) { return is_lower_or_digit(c) || c == '_'; };
  if (text.empty() || text.size() > kMaxNameBytes ||
      !std::all_of(text.begin(), text.end(), is_allowed)) {
    fail("found " + shown(*value_) + ", expected a name of a-z, 0-9 and _");
  }
  return text;
}

std::string DescriptorNode::as_identifier(const std::string& extra,
                                          const std::string& example) const {
  std::string text = as_text();
  const auto is_allowed = [&](char c) {
    return is_letter_or_digit(c) || extra.find(c) != std::string::npos;
  };
  if (text.empty() || text.size() > kMaxNameBytes ||
      !std::all_of(text.begin(), text.end(), is_allowed)) {
    fail("found " + shown(*value_) + ", expected the like of \"" + example + "\"");
  }
  return text;
}

bool DescriptorNode::flag(const std::string& key, bool otherwise) const {
  return has(key) ? at(key).as_bool() : otherwise;
}

std::string DescriptorNode::text(const std::string& key) const {
  return has(key) ? at(key).as_text() : std::string();
}

std::vector<std::string> DescriptorNode::names(const std::string& key) const {
  std::vector<std::string> names;
  for (const DescriptorNode& item : items(key)) names.push_back(item.as_name());
  return names;
}

}  // namespace hob::host
