#pragma once

#include <hob/host.h>

#include <cstdint>
#include <limits>
#include <string>
#include <string_view>
#include <tuple>
#include <vector>

// The parameters of a component: a struct and, beside it, what a recipe may put there.
//
//   struct SgdConfig {
//     double momentum;
//     HOB_SCHEMA(SgdConfig, HOB_PARAM(momentum, 0.0, hob::in(0, 1), "factor on the last step"))
//   };
//
// The schema is made at compile time and lies in the plugin's descriptor: hob checks a recipe
// against it, and documents it, without running the plugin.

namespace hob {

// A parameter that is a file or folder; relative paths are taken from the recipe's folder, so it
// arrives absolute.
struct Path : std::string {
  using std::string::string;
};
// A parameter in bytes: a recipe may say "22GiB".
struct Bytes {
  int64_t value = 0;
};

namespace detail {

constexpr size_t kMaxChoices = 16;
constexpr double kUnbounded = std::numeric_limits<double>::infinity();

template <class T, size_t N>
struct FixedList {
  T items[N]{};
  size_t count = 0;
};

struct Range {
  double min = -kUnbounded;
  double max = kUnbounded;
  bool min_open = false;
  bool max_open = false;
};
struct Choices {
  FixedList<std::string_view, kMaxChoices> names;
};
struct Unit {
  std::string_view name;
};
struct Required {};
struct Cosmetic {};
struct Resumable {};
enum class Form { kRequired, kBool, kInt, kFloat, kString, kInts, kFloats, kStrings };

struct Default {
  Form form = Form::kRequired;
  int64_t i = 0;
  double f = 0;
  std::string_view s{};
  FixedList<int64_t, kMaxChoices> ints{};
  FixedList<double, kMaxChoices> floats{};
  FixedList<std::string_view, kMaxChoices> strings{};
};

struct ParamInfo {
  std::string_view name;
  std::string_view type;
  std::string_view help;
  std::string_view unit;
  Default value;
  Range range;
  Choices choices;
  bool numerics = true;
  bool resumable = false;
};

template <class T>
struct ParamType;  // specialised for the types a member may have
template <>
struct ParamType<bool> {
  static constexpr std::string_view name = "bool";
  static constexpr Form form = Form::kBool;
  static void read(const hob_value& v, bool& out) { out = v.as.i != 0; }
};
template <>
struct ParamType<int64_t> {
  static constexpr std::string_view name = "int";
  static constexpr Form form = Form::kInt;
  static void read(const hob_value& v, int64_t& out) { out = v.as.i; }
};
template <>
struct ParamType<double> {
  static constexpr std::string_view name = "float";
  static constexpr Form form = Form::kFloat;
  static void read(const hob_value& v, double& out) { out = v.as.f; }
};
template <>
struct ParamType<std::string> {
  static constexpr std::string_view name = "string";
  static constexpr Form form = Form::kString;
  static void read(const hob_value& v, std::string& out) { out.assign(v.as.s, v.count); }
};
template <>
struct ParamType<Path> : ParamType<std::string> {
  static constexpr std::string_view name = "path";
};
template <>
struct ParamType<Bytes> {
  static constexpr std::string_view name = "size";
  static constexpr Form form = Form::kInt;
  static void read(const hob_value& v, Bytes& out) { out.value = v.as.i; }
};
template <>
struct ParamType<std::vector<int64_t>> {
  static constexpr std::string_view name = "int_list";
  static constexpr Form form = Form::kInts;
  static void read(const hob_value& v, std::vector<int64_t>& out) {
    out.assign(v.as.ints, v.as.ints + v.count);
  }
};
template <>
struct ParamType<std::vector<double>> {
  static constexpr std::string_view name = "float_list";
  static constexpr Form form = Form::kFloats;
  static void read(const hob_value& v, std::vector<double>& out) {
    out.assign(v.as.floats, v.as.floats + v.count);
  }
};
template <>
struct ParamType<std::vector<std::string>> {
  static constexpr std::string_view name = "string_list";
  static constexpr Form form = Form::kStrings;
  static void read(const hob_value& v, std::vector<std::string>& out) {
    out.assign(v.as.strings, v.as.strings + v.count);
  }
};

template <class Config, class T>
struct Param {
  T Config::*member;
  ParamInfo info;

  void read(const hob_config* config, Config& out) const {
    const std::string key(info.name);
    hob_value value{};
    check(core().config_get(config, key.c_str(), &value));
    ParamType<T>::read(value, out.*member);
  }
};

constexpr void apply_option(ParamInfo& info, Range range) {
  if (range.min != -kUnbounded) {
    info.range.min = range.min;
    info.range.min_open = range.min_open;
  }
  if (range.max != kUnbounded) {
    info.range.max = range.max;
    info.range.max_open = range.max_open;
  }
}
constexpr void apply_option(ParamInfo& info, Choices choices) {
  info.choices = choices;
}
constexpr void apply_option(ParamInfo& info, Unit unit) {
  info.unit = unit.name;
}
constexpr void apply_option(ParamInfo& info, Cosmetic) {
  info.numerics = false;
}
constexpr void apply_option(ParamInfo& info, Resumable) {
  info.resumable = true;
}
constexpr void apply_option(ParamInfo& info, std::string_view help) {
  info.help = help;
}

template <class T>
constexpr void set_default(Default& out, const T& value) {
  out.form = Form::kFloat;
  if constexpr (std::is_same_v<T, bool>) {
    out.form = Form::kBool;
    out.i = value;
  } else if constexpr (std::is_integral_v<T>) {
    out.form = Form::kInt;
    out.i = static_cast<int64_t>(value);
    out.f = static_cast<double>(value);
  } else if constexpr (std::is_floating_point_v<T>) {
    out.f = value;
  } else {
    out.form = Form::kString;
    out.s = value;
  }
}
constexpr void set_default(Default& out, const Default& list) {
  out = list;
}
constexpr void set_default(Default&, Required) {}

template <class Config, class T, class Value, class... Options>
constexpr Param<Config, T> param(T Config::*member, std::string_view name, const Value& value,
                                 Options... options) {
  Param<Config, T> result{member, {}};
  result.info.name = name;
  result.info.type = ParamType<T>::name;
  set_default(result.info.value, value);
  const Form form = result.info.value.form;
  if (form == Form::kInt && ParamType<T>::form == Form::kFloat) {
    result.info.value.form = Form::kFloat;  // 1 for 1.0
  } else if (form != Form::kRequired && form != ParamType<T>::form) {
    throw "HOB_PARAM: the default has another type than the member";
  }
  (apply_option(result.info, options), ...);
  return result;
}

}  // namespace detail

// Bounds, each on its own or two of them: HOB_PARAM(x, 1.0, hob::gt(0), hob::le(8), "...").
constexpr detail::Range gt(double v) {
  return {.min = v, .min_open = true};
}
constexpr detail::Range ge(double v) {
  return {.min = v};
}
constexpr detail::Range lt(double v) {
  return {.max = v, .max_open = true};
}
constexpr detail::Range le(double v) {
  return {.max = v};
}
constexpr detail::Range in(double min, double max) {
  return {.min = min, .max = max};
}

// The only strings allowed.
template <class... Names>
constexpr detail::Choices one_of(Names... names) {
  static_assert(sizeof...(Names) <= detail::kMaxChoices);
  detail::Choices result;
  ((result.names.items[result.names.count++] = std::string_view(names)), ...);
  return result;
}
constexpr detail::Unit unit(std::string_view name) {
  return {name};
}

// A parameter without a default: the recipe must give it.
inline constexpr detail::Required required{};
// A parameter that does not change what is learnt, such as a period of printing.
inline constexpr detail::Cosmetic cosmetic{};
// A parameter that a resumed run may give another value.
inline constexpr detail::Resumable resumable{};

// Defaults of list parameters: hob::floats(0.9, 0.999), hob::strings().
template <class... T>
constexpr detail::Default ints(T... values) {
  detail::Default d{.form = detail::Form::kInts};
  ((d.ints.items[d.ints.count++] = static_cast<int64_t>(values)), ...);
  return d;
}
template <class... T>
constexpr detail::Default floats(T... values) {
  detail::Default d{.form = detail::Form::kFloats};
  ((d.floats.items[d.floats.count++] = static_cast<double>(values)), ...);
  return d;
}
template <class... T>
constexpr detail::Default strings(T... values) {
  detail::Default d{.form = detail::Form::kStrings};
  ((d.strings.items[d.strings.count++] = std::string_view(values)), ...);
  return d;
}

}  // namespace hob

#define HOB_PARAM(member, default_value, ...) \
  ::hob::detail::param(&Self::member, #member, default_value, __VA_ARGS__)

#define HOB_SCHEMA(Type, ...)                                                           \
  static constexpr auto hob_params() {                                                  \
    using Self [[maybe_unused]] = Type;                                                 \
    return std::tuple{__VA_ARGS__};                                                     \
  }                                                                                     \
  static Type hob_read(const hob_config* config) {                                      \
    Type result{};                                                                      \
    std::apply([&](const auto&... p) { (p.read(config, result), ...); }, hob_params()); \
    return result;                                                                      \
  }

namespace hob {
// For components without parameters.
struct NoConfig {
  static constexpr std::tuple<> hob_params() { return {}; }
  static NoConfig hob_read(const hob_config*) { return {}; }
};
}  // namespace hob
