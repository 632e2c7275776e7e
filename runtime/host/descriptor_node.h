#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include <nlohmann/json.hpp>

namespace hob::host {

// A value in a descriptor's JSON together with its place, "components[0].params[2].min", which
// starts every complaint. Throws hob::Error (kPlugin).
class DescriptorNode {
 public:
  DescriptorNode(const nlohmann::json& value, std::string place)
      : value_(&value), place_(std::move(place)) {}

  [[noreturn]] void fail(const std::string& what) const;

  const nlohmann::json& json() const { return *value_; }
  const std::string& place() const { return place_; }

  bool has(const std::string& key) const;                           // of an object
  DescriptorNode at(const std::string& key) const;                  // of an object; must exist
  std::vector<DescriptorNode> items() const;                        // of an array
  std::vector<DescriptorNode> items(const std::string& key) const;  // none when the key is absent

  bool as_bool() const;
  std::int64_t as_int() const;  // a JSON integer that fits
  double as_float() const;      // any JSON number, finite
  std::string as_text() const;  // without control characters: it is printed on terminals
  std::string as_name() const;  // [a-z0-9_], not empty
  std::string as_identifier(const std::string& extra, const std::string& example) const;

  bool flag(const std::string& key, bool otherwise) const;
  std::string text(const std::string& key) const;                // "" when absent
  std::vector<std::string> names(const std::string& key) const;  // none when absent

 private:
  const nlohmann::json* value_;
  std::string place_;
};

}  // namespace hob::host
