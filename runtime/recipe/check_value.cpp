#include "recipe/check_value.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "base/text.h"
#include "recipe/duration.h"
#include "recipe/toml_text.h"

namespace hob::recipe {
namespace {

std::string number_text(std::int64_t value) {
  return std::to_string(value);
}
std::string number_text(double value) {
  return format_number(value);
}

template <class Number>
bool in_range(Number value, const ParamSchema& schema) {
  const auto exact = static_cast<long double>(value);
  if (schema.min && (schema.min_open ? exact <= *schema.min : exact < *schema.min)) return false;
  if (schema.max && (schema.max_open ? exact >= *schema.max : exact > *schema.max)) return false;
  return true;
}

bool is_device(const std::string& text) {
  if (text == "auto" || text == "cpu" || text == "cuda") return true;
  const std::string_view digits =
      std::string_view(text).substr(std::min<std::size_t>(5, text.size()));
  return text.starts_with("cuda:") && !digits.empty() && digits.size() <= 3 &&
         digits.find_first_not_of("0123456789") == std::string_view::npos;
}

class Checker {
 public:
  Checker(const ParamSchema& schema, Form form, const std::string& shown, Problems& problems)
      : schema_(schema), form_(form), shown_(shown), problems_(problems) {}

  std::optional<Value> check(const Node& node) {
    switch (schema_.type) {
      case ParamType::kBool:
        if (const bool* const value = std::get_if<bool>(&node.data)) return *value;
        return refuse_type(node, "boolean");
      case ParamType::kInt:
        return form_ == Form::kCountOrAuto ? count_or_auto(node) : wrap(integer(node));
      case ParamType::kFloat:
        return wrap(number(node));
      case ParamType::kString:
        return wrap(text(node));
      case ParamType::kPath:
        return path(node);
      case ParamType::kSize:
        return size(node);
      case ParamType::kIntList:
        return list(node, "array of integers", &Checker::integer);
      case ParamType::kFloatList:
        return list(node, "array of floats", &Checker::number);
      case ParamType::kStringList:
        return list(node, "array of strings", &Checker::text);
    }
    return std::nullopt;
  }

 private:
  template <class T>
  static std::optional<Value> wrap(std::optional<T> value) {
    return value ? std::optional<Value>(std::move(*value)) : std::nullopt;
  }

  std::nullopt_t refuse(const Node& node, const std::string& why) {
    problems_.add(node.mark, shown_ + ": " + why);
    return std::nullopt;
  }

  std::nullopt_t refuse_type(const Node& node, const std::string& expected) {
    return refuse(node, "expected " + expected + ", got " + describe(node));
  }

  template <class Number>
  std::optional<Number> ranged(const Node& node, Number value) {
    if (in_range(value, schema_)) return value;
    return refuse(node, number_text(value) + " is out of range; it must be " + range_text(schema_));
  }

  std::optional<std::int64_t> integer(const Node& node) {
    const auto* const value = std::get_if<std::int64_t>(&node.data);
    if (value == nullptr) return refuse_type(node, "integer");
    return ranged(node, *value);
  }

  std::optional<double> number(const Node& node) {
    double value = 0;
    if (const auto* const whole = std::get_if<std::int64_t>(&node.data)) {
      value = static_cast<double>(*whole);
    } else if (const auto* const fraction = std::get_if<double>(&node.data)) {
      value = *fraction;
    } else {
      return refuse_type(node, "float");
    }
    if (form_ == Form::kPositiveOrInf) {
      if (value > 0) return value;
      return refuse(node, number_text(value) +
                              " is out of range; it must be greater than 0, and "
                              "inf means off");
    }
    if (!std::isfinite(value)) return refuse(node, number_text(value) + " is not a finite number");
    return ranged(node, value);
  }

  std::optional<std::string> text(const Node& node) {
    const std::string* const value = node.text();
    if (value == nullptr) return refuse_type(node, "string");
    if (value->find('\0') != std::string::npos) return refuse(node, "the string holds a NUL");
    const std::vector<std::string>& choices = schema_.choices;
    if (!choices.empty() && std::find(choices.begin(), choices.end(), *value) == choices.end()) {
      return refuse(node, quote(*value) + " is not one of " + quote_all(choices) +
                              did_you_mean(*value, choices));
    }
    if (!has_form(node, *value)) return std::nullopt;
    return *value;
  }

  bool has_form(const Node& node, const std::string& value) {
    if (form_ == Form::kNonEmpty && value.empty()) refuse(node, "it must not be empty");
    if (form_ == Form::kNonEmpty) return !value.empty();
    if (form_ == Form::kDevice) {
      const bool known = is_device(value);
      if (!known) {
        refuse(node, "there is no device " + quote(value) +
                         "; write \"auto\", \"cpu\", \"cuda\" or \"cuda:0\"");
      }
      return known;
    }
    return form_ == Form::kPlain || is_duration(node, value);
  }

  bool is_duration(const Node& node, const std::string& value) {
    try {
      const Duration duration = parse_duration(value);
      if (form_ == Form::kTime && duration.unit != DurationUnit::kSeconds) {
        refuse(node, quote(value) + " is not a time; write for example \"90s\", \"30m\", \"8h\"");
        return false;
      }
      if (form_ != Form::kDuration && duration.value == 0) {
        refuse(node, quote(value) + " is out of range; it must be greater than 0");
        return false;
      }
      return true;
    } catch (const Error& failure) {
      refuse(node, failure.what());
      return false;
    }
  }

  std::optional<Value> count_or_auto(const Node& node) {
    if (node.text() != nullptr && *node.text() == "auto") return "auto";
    if (!std::holds_alternative<std::int64_t>(node.data)) {
      return refuse_type(node, "integer or \"auto\"");
    }
    return wrap(integer(node));
  }

  std::optional<Value> path(const Node& node) {
    const std::optional<std::string> value = text(node);
    if (!value || value->empty()) return wrap(value);
    const std::filesystem::path full = node.mark.source->folder / *value;
    return full.lexically_normal().string();
  }

  std::optional<Value> size(const Node& node) {
    if (const std::string* const value = node.text()) {
      const std::optional<std::int64_t> bytes = parse_size(*value);
      if (!bytes) {
        return refuse(node, quote(*value) + " is not a size; write for example \"22GiB\", " +
                                "\"512MiB\", \"1.5GB\", or a number of bytes");
      }
      return wrap(ranged(node, *bytes));
    }
    if (!std::holds_alternative<std::int64_t>(node.data)) {
      return refuse_type(node, "size (an integer of bytes, or a string such as \"22GiB\")");
    }
    return wrap(integer(node));
  }

  template <class T>
  std::optional<Value> list(const Node& node, const char* expected,
                            std::optional<T> (Checker::*check_item)(const Node&)) {
    const Node::Array* const items = node.array();
    if (items == nullptr) return refuse_type(node, expected);
    std::vector<T> values;
    for (const Node& item : *items) {
      if (std::optional<T> value = (this->*check_item)(item)) values.push_back(std::move(*value));
    }
    if (values.size() != items->size()) return std::nullopt;
    return values;
  }

  const ParamSchema& schema_;
  const Form form_;
  const std::string& shown_;
  Problems& problems_;
};

}  // namespace

std::string range_text(const ParamSchema& schema) {
  std::string text;
  if (schema.min) {
    text = (schema.min_open ? "greater than " : "at least ") + format_number(*schema.min);
  }
  if (schema.max) {
    if (!text.empty()) text += " and ";
    // 2^31 reads better in full.
    const double max = *schema.max;
    const bool whole = max == std::floor(max) && std::abs(max) < 0x1p53;
    text += schema.max_open ? "less than " : "at most ";
    text += whole ? std::to_string(static_cast<std::int64_t>(max)) : format_number(max);
  }
  return text;
}

std::optional<Value> check_value(const Node& node, const ParamSchema& schema, Form form,
                                 const std::string& shown, Problems& problems) {
  return Checker(schema, form, shown, problems).check(node);
}

}  // namespace hob::recipe
