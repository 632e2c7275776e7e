#include "train/store/state_doc.h"

#include <array>
#include <bit>
#include <cmath>
#include <limits>
#include <optional>
#include <utility>

#include <nlohmann/json.hpp>

#include "base/error.h"
#include "base/file.h"
#include "base/text.h"
#include "data/strict_json.h"

namespace hob::train {

namespace {

using nlohmann::json;

constexpr int kFormat = 1;
// {"state":{"name":{"i64s":[ ... ]}}}
constexpr data::JsonLimits kLimits{.depth = 4, .text_bytes = 1'000'000'000};
constexpr std::string_view kHexDigits = "0123456789abcdef";
constexpr std::string_view kNanPrefix = "nan:";

// The type's name in the file, by the variant's alternative.
constexpr std::array<const char*, std::variant_size_v<StateValue>> kTypeNames = {
    "i64", "u64", "f64", "str", "i64s", "u64s", "f64s", "strs", "bytes"};

[[noreturn]] void fail(const std::string& where, const std::string& what) {
  throw Error(Fault::kRun, where + ": " + what);
}

// ---- writing

json to_json(std::int64_t value) {
  return value;
}
json to_json(std::uint64_t value) {
  return value;
}
json to_json(const std::string& value) {
  return value;
}

// JSON has no word for what is not finite; a NaN keeps its sign and payload.
json to_json(double value) {
  if (std::isnan(value)) {
    auto bits = std::bit_cast<std::uint64_t>(value);
    std::string text(kNanPrefix);
    for (int shift = 60; shift >= 0; shift -= 4) text += kHexDigits[bits >> shift & 15];
    return text;
  }
  if (std::isinf(value)) return value > 0 ? "inf" : "-inf";
  return value;
}

json to_json(const Bytes& bytes) {
  std::string text;
  text.reserve(2 * bytes.size());
  for (std::byte byte : bytes) {
    auto value = std::to_integer<unsigned>(byte);
    text += kHexDigits[value >> 4];
    text += kHexDigits[value & 15];
  }
  return text;
}

template <typename T>
json to_json(const std::vector<T>& values) {
  json list = json::array();
  for (const T& value : values) list.push_back(to_json(value));
  return list;
}

// ---- reading

// At most 16 hex digits; none for other text.
std::optional<std::uint64_t> parse_hex(std::string_view text) {
  std::uint64_t value = 0;
  for (char digit : text) {
    auto index = kHexDigits.find(digit);
    if (index == std::string_view::npos) return std::nullopt;
    value = value << 4 | index;
  }
  return value;
}

void from_json(const json& value, std::int64_t& out, const std::string& where) {
  // The parser calls a number unsigned unless it is negative.
  if (!value.is_number_integer() ||
      (value.is_number_unsigned() &&
       value.get<std::uint64_t>() > std::numeric_limits<std::int64_t>::max())) {
    fail(where, "a 64-bit signed integer was expected");
  }
  out = value.get<std::int64_t>();
}

void from_json(const json& value, std::uint64_t& out, const std::string& where) {
  if (!value.is_number_unsigned()) fail(where, "a 64-bit unsigned integer was expected");
  out = value.get<std::uint64_t>();
}

void from_json(const json& value, std::string& out, const std::string& where) {
  if (!value.is_string()) fail(where, "a string was expected");
  out = value.get<std::string>();
}

void from_json(const json& value, double& out, const std::string& where) {
  if (value.is_number()) {
    out = value.get<double>();
    return;
  }
  if (value == "inf" || value == "-inf") {
    out = std::numeric_limits<double>::infinity() * (value == "inf" ? 1 : -1);
    return;
  }
  if (value.is_string()) {
    std::string_view text = value.get_ref<const std::string&>();
    if (text.substr(0, kNanPrefix.size()) == kNanPrefix && text.size() == kNanPrefix.size() + 16) {
      auto bits = parse_hex(text.substr(kNanPrefix.size()));
      if (bits && std::isnan(std::bit_cast<double>(*bits))) {
        out = std::bit_cast<double>(*bits);
        return;
      }
    }
  }
  fail(where, "a number, 'inf', '-inf' or 'nan:<16 hex digits>' was expected");
}

void from_json(const json& value, Bytes& out, const std::string& where) {
  if (!value.is_string()) fail(where, "a string of hex digits was expected");
  std::string_view text = value.get_ref<const std::string&>();
  if (text.size() % 2 != 0) fail(where, "an even number of hex digits was expected");
  out.reserve(text.size() / 2);
  for (std::size_t i = 0; i < text.size(); i += 2) {
    auto byte = parse_hex(text.substr(i, 2));
    if (!byte) fail(where, "only the hex digits 0-9 and a-f were expected");
    out.push_back(static_cast<std::byte>(*byte));
  }
}

template <typename T>
void from_json(const json& value, std::vector<T>& out, const std::string& where) {
  if (!value.is_array()) fail(where, "a list was expected");
  out.reserve(value.size());
  for (const json& item : value) from_json(item, out.emplace_back(), where);
}

// Reads into the alternative whose name the file gives.
template <std::size_t index = 0>
StateValue parse_value(const std::string& type, const json& value, const std::string& where) {
  if constexpr (index == std::variant_size_v<StateValue>) {
    fail(where, "the type " + quote(type) + " is unknown");
  } else {
    if (type != kTypeNames[index]) return parse_value<index + 1>(type, value, where);
    StateValue parsed(std::in_place_index<index>);
    from_json(value, std::get<index>(parsed), where);
    return parsed;
  }
}

json parse_document(std::string_view text, const std::string& where) {
  try {
    return data::parse_strict_json(text, where, kLimits);
  } catch (const Error& error) {
    // hob's own file is damaged: no fault of the recipe.
    throw Error(Fault::kRun, error.what());
  }
}

}  // namespace

std::string format_state(const StateDoc& doc) {
  json state = json::object();
  for (const auto& [name, value] : doc) {
    state[name][kTypeNames[value.index()]] =
        std::visit([](const auto& held) { return to_json(held); }, value);
  }
  try {
    return json{{"format", kFormat}, {"state", std::move(state)}}.dump() + "\n";
  } catch (const json::type_error& error) {
    fail("state", std::string("a string is not UTF-8; give it as bytes: ") + error.what());
  }
}

StateDoc parse_state(std::string_view text, const std::string& where) {
  json document = parse_document(text, where);
  if (!document.is_object() || !document.contains("format") || !document.contains("state") ||
      !document["state"].is_object()) {
    fail(where, "an object with 'format' and an object 'state' was expected");
  }
  if (document["format"] != kFormat) {
    fail(where, "has format " + document["format"].dump() + "; this hob reads format " +
                    std::to_string(kFormat));
  }
  StateDoc doc;
  for (const auto& [name, entry] : document["state"].items()) {
    std::string place = where + ": " + quote(name);
    if (!entry.is_object() || entry.size() != 1) {
      fail(place, "an object of one type and its value was expected");
    }
    doc.emplace(name, parse_value(entry.begin().key(), entry.begin().value(), place));
  }
  return doc;
}

void write_state(const std::filesystem::path& path, const StateDoc& doc) {
  write_file_atomic(path, format_state(doc));
}

StateDoc read_state(const std::filesystem::path& path) {
  return parse_state(read_file(path, kLimits.text_bytes), path.string());
}

void throw_no_state_value(const StateDoc& doc, const std::string& name) {
  auto it = doc.find(name);
  if (it == doc.end()) fail("state", "has no value " + quote(name));
  fail("state",
       quote(name) + " has the type " + kTypeNames[it->second.index()] + "; another was expected");
}

}  // namespace hob::train
