#include "recipe/toml_text.h"

#include <array>
#include <cmath>
#include <cstdio>

#include "base/text.h"

namespace hob::recipe {
namespace {

std::string element(std::int64_t value) {
  return std::to_string(value);
}
std::string element(double value) {
  return toml_float(value);
}
std::string element(const std::string& value) {
  return toml_string(value);
}

struct WriteValue {
  std::string operator()(bool value) const { return value ? "true" : "false"; }
  std::string operator()(std::int64_t value) const { return element(value); }
  std::string operator()(double value) const { return element(value); }
  std::string operator()(const std::string& value) const { return element(value); }

  template <class T>
  std::string operator()(const std::vector<T>& values) const {
    std::vector<std::string> elements;
    for (const T& value : values) elements.push_back(element(value));
    return "[" + join(elements, ", ") + "]";
  }
};

}  // namespace

std::string toml_float(double value) {
  std::string text = format_number(value);
  const bool looks_whole = text.find_first_not_of("-0123456789") == std::string::npos;
  if (std::isnan(value)) return "nan";
  return looks_whole ? text + ".0" : text;
}

std::string toml_string(std::string_view text) {
  std::string written = "\"";
  for (std::size_t i = 0; i < text.size(); ++i) {
    const auto byte = static_cast<unsigned char>(text[i]);
    if (text.substr(i).starts_with("${")) written += '$';
    if (byte == '"' || byte == '\\') {
      written += '\\';
      written += text[i];
    } else if (byte < 0x20 || byte == 0x7F) {
      std::array<char, 8> escaped{};
      std::snprintf(escaped.data(), escaped.size(), "\\u%04X", byte);
      written += escaped.data();
    } else {
      written += text[i];
    }
  }
  return written + '"';
}

std::string toml_value(const Value& value) {
  return std::visit(WriteValue{}, value);
}

}  // namespace hob::recipe
