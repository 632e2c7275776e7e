#include "session/verify/param_values.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace hob::session::verify {
namespace {

using recipe::ParamSchema;
using recipe::ParamType;
using recipe::Value;

constexpr std::int64_t kUsualInt = 10;
constexpr double kUsualFloat = 0.5;
constexpr double kInfinity = std::numeric_limits<double>::infinity();

bool is_list(ParamType type) {
  return type == ParamType::kIntList || type == ParamType::kFloatList ||
         type == ParamType::kStringList;
}

bool is_whole(ParamType type) {
  return type == ParamType::kInt || type == ParamType::kSize || type == ParamType::kIntList;
}

bool is_real(ParamType type) {
  return type == ParamType::kFloat || type == ParamType::kFloatList;
}

// The integers that a range of doubles stands for.
std::int64_t to_int(double bound) {
  constexpr std::int64_t kMin = std::numeric_limits<std::int64_t>::min();
  constexpr std::int64_t kMax = std::numeric_limits<std::int64_t>::max();
  if (bound <= -0x1p63) return kMin;
  return bound >= 0x1p63 ? kMax : static_cast<std::int64_t>(bound);
}

std::int64_t least_int(const ParamSchema& param) {
  const double lowest = param.type == ParamType::kSize ? 0 : -kInfinity;
  if (!param.min) return to_int(lowest);
  const double inside = param.min_open ? std::floor(*param.min) + 1 : std::ceil(*param.min);
  return to_int(std::max(inside, lowest));
}

std::int64_t greatest_int(const ParamSchema& param) {
  if (!param.max) return to_int(kInfinity);
  return to_int(param.max_open ? std::ceil(*param.max) - 1 : std::floor(*param.max));
}

double least_float(const ParamSchema& param) {
  if (!param.min) return std::numeric_limits<double>::lowest();
  return param.min_open ? std::nextafter(*param.min, kInfinity) : *param.min;
}

double greatest_float(const ParamSchema& param) {
  if (!param.max) return std::numeric_limits<double>::max();
  return param.max_open ? std::nextafter(*param.max, -kInfinity) : *param.max;
}

// As many elements as usual, all of them that one.
template <class T>
Value list_of(const T& element, const Value& usual) {
  const auto* before = std::get_if<std::vector<T>>(&usual);
  return std::vector<T>(before && !before->empty() ? before->size() : 1, element);
}

template <class T>
void add(std::vector<Value>& values, const ParamSchema& param, const T& value, const Value& usual) {
  values.push_back(is_list(param.type) ? list_of(value, usual) : Value(value));
}

void add_end(std::vector<Value>& values, const ParamSchema& param, bool upper, const Value& usual) {
  if (is_whole(param.type)) {
    add(values, param, upper ? greatest_int(param) : least_int(param), usual);
  } else if (is_real(param.type)) {
    add(values, param, upper ? greatest_float(param) : least_float(param), usual);
  }
}

Value empty_list(ParamType type) {
  if (type == ParamType::kIntList) return std::vector<std::int64_t>();
  if (type == ParamType::kFloatList) return std::vector<double>();
  return std::vector<std::string>();
}

}  // namespace

std::optional<Value> made_up_value(const ParamSchema& param) {
  std::vector<Value> values;
  const Value none = std::int64_t{0};  // no list to take the length of: one element
  if (param.type == ParamType::kBool) return false;
  if (is_whole(param.type)) {
    add(values, param, std::clamp(kUsualInt, least_int(param), greatest_int(param)), none);
  } else if (is_real(param.type)) {
    add(values, param, std::clamp(kUsualFloat, least_float(param), greatest_float(param)), none);
  } else if (!param.choices.empty()) {
    add(values, param, param.choices.front(), none);
  } else {
    return std::nullopt;
  }
  return values.front();
}

std::vector<Value> values_at_bounds(const ParamSchema& param, const Value& usual) {
  std::vector<Value> values;
  if (param.type == ParamType::kBool) return {false, true};
  if (param.min) add_end(values, param, /*upper=*/false, usual);
  if (param.max) add_end(values, param, /*upper=*/true, usual);
  for (const std::string& choice : param.choices) add(values, param, choice, usual);
  return values;
}

std::vector<Value> far_values(const ParamSchema& param, const Value& usual) {
  std::vector<Value> values;
  if (!param.min) add_end(values, param, /*upper=*/false, usual);
  if (!param.max) add_end(values, param, /*upper=*/true, usual);
  const bool is_text = param.type == ParamType::kString || param.type == ParamType::kPath ||
                       param.type == ParamType::kStringList;
  if (is_text && param.choices.empty()) {
    for (const std::string& text :
         {std::string(), std::string(10000, 'x'), std::string("%s %n ${x} \"'\\ \n\t"),
          std::string("мир 世界 \U0001F525"), std::string("../../../../etc")}) {
      add(values, param, text, usual);
    }
  }
  if (is_list(param.type)) values.push_back(empty_list(param.type));
  return values;
}

}  // namespace hob::session::verify
