#pragma once

#include <hob/schema.h>

#include <array>
#include <tuple>

// Writes a plugin's descriptor as JSON at compile time (docs/reference/descriptor.md).

namespace hob::detail {

constexpr size_t kMaxMarks = 8;
using Marks = FixedList<std::string_view, kMaxMarks>;

struct ComponentInfo {
  std::string_view kind, name, interface, summary;
  Marks traits, provides, needs, conflicts;
};

// Text into memory, or only its length where there is none yet.
class TextSink {
 public:
  constexpr explicit TextSink(char* out) : out_(out) {}
  constexpr size_t size() const { return size_; }

  constexpr void put(char c) {
    if (out_) out_[size_] = c;
    ++size_;
  }
  constexpr void put(std::string_view text) {
    for (char c : text) put(c);
  }
  constexpr void put_string(std::string_view text) {
    put('"');
    for (char c : text) {
      if (c == '"' || c == '\\') put('\\');
      if (static_cast<unsigned char>(c) < 0x20)
        throw "control characters do not belong in a descriptor";
      put(c);
    }
    put('"');
  }
  constexpr void put_int(int64_t value) {
    char digits[20]{};
    size_t count = 0;
    const bool negative = value < 0;
    do {
      const auto digit = static_cast<int>(value % 10);
      digits[count++] = static_cast<char>('0' + (digit < 0 ? -digit : digit));
      value /= 10;
    } while (value != 0);
    if (negative) put('-');
    while (count > 0) put(digits[--count]);
  }
  // The shortest m * 10^e that is the same double: exact for the decimals that people write.
  constexpr void put_float(double value) {
    double scale = 1;
    for (int exponent = 0; exponent <= 22; ++exponent, scale *= 10) {
      for (const bool small : {true, false}) {
        const double scaled = small ? value * scale : value / scale;
        if (scaled > 9e15 || scaled < -9e15) continue;
        const auto m = static_cast<int64_t>(scaled + (scaled < 0 ? -0.5 : 0.5));
        const double back = small ? static_cast<double>(m) / scale : static_cast<double>(m) * scale;
        if (back != value) continue;
        put_int(m);
        put(small ? "e-" : "e");
        put_int(exponent);
        return;
      }
    }
    throw "a number of a schema needs more digits than a descriptor holds";
  }

 private:
  char* out_;
  size_t size_ = 0;
};

template <class List, class Put>
constexpr void put_list(TextSink& sink, const List& list, Put put) {
  sink.put('[');
  for (size_t i = 0; i < list.count; ++i) {
    if (i) sink.put(',');
    put(list.items[i]);
  }
  sink.put(']');
}

constexpr void put_default(TextSink& sink, const Default& value) {
  sink.put(",\"default\":");
  switch (value.form) {
    case Form::kBool:
      return sink.put(value.i ? "true" : "false");
    case Form::kInt:
      return sink.put_int(value.i);
    case Form::kFloat:
      return sink.put_float(value.f);
    case Form::kString:
      return sink.put_string(value.s);
    case Form::kInts:
      return put_list(sink, value.ints, [&](int64_t v) { sink.put_int(v); });
    case Form::kFloats:
      return put_list(sink, value.floats, [&](double v) { sink.put_float(v); });
    case Form::kStrings:
      return put_list(sink, value.strings, [&](std::string_view v) { sink.put_string(v); });
    case Form::kRequired:
      return;
  }
}

constexpr void put_param(TextSink& sink, const ParamInfo& p) {
  sink.put("{\"name\":");
  sink.put_string(p.name);
  sink.put(",\"type\":");
  sink.put_string(p.type);
  sink.put(",\"help\":");
  sink.put_string(p.help);
  if (!p.unit.empty()) {
    sink.put(",\"unit\":");
    sink.put_string(p.unit);
  }
  if (p.value.form != Form::kRequired) put_default(sink, p.value);
  if (p.range.min != -kUnbounded) {
    sink.put(",\"min\":");
    sink.put_float(p.range.min);
    if (p.range.min_open) sink.put(",\"min_open\":true");
  }
  if (p.range.max != kUnbounded) {
    sink.put(",\"max\":");
    sink.put_float(p.range.max);
    if (p.range.max_open) sink.put(",\"max_open\":true");
  }
  if (p.choices.names.count) {
    sink.put(",\"choices\":");
    put_list(sink, p.choices.names, [&](std::string_view v) { sink.put_string(v); });
  }
  if (!p.numerics) sink.put(",\"numerics\":false");
  if (p.resumable) sink.put(",\"may_change_on_resume\":true");
  sink.put('}');
}

constexpr void put_marks(TextSink& sink, std::string_view key, const Marks& marks) {
  if (!marks.count) return;
  sink.put(",\"");
  sink.put(key);
  sink.put("\":");
  put_list(sink, marks, [&](std::string_view v) { sink.put_string(v); });
}

template <class Component>
constexpr void put_component(TextSink& sink, const ComponentInfo& c) {
  sink.put("{\"kind\":");
  sink.put_string(c.kind);
  sink.put(",\"name\":");
  sink.put_string(c.name);
  sink.put(",\"interface\":");
  sink.put_string(c.interface);
  sink.put(",\"summary\":");
  sink.put_string(c.summary);
  put_marks(sink, "traits", c.traits);
  put_marks(sink, "provides", c.provides);
  put_marks(sink, "needs", c.needs);
  put_marks(sink, "conflicts", c.conflicts);
  sink.put(",\"params\":[");
  bool first = true;
  std::apply(
      [&](const auto&... p) {
        ((first ? first = false : (sink.put(','), true), put_param(sink, p.info)), ...);
      },
      Component::ConfigType::hob_params());
  sink.put("]}");
}

template <class... Added>
struct Definition {
  std::string_view id, version;
  std::tuple<Added...> components;
};

template <class... Added>
constexpr void put_definition(TextSink& sink, const Definition<Added...>& d) {
  sink.put("{\"format\":1,\"id\":");
  sink.put_string(d.id);
  sink.put(",\"version\":");
  sink.put_string(d.version);
  sink.put(",\"sdk\":[");
  sink.put_int(HOB_ABI_MAJOR);
  sink.put(',');
  sink.put_int(HOB_ABI_MINOR);
  sink.put("],\"components\":[");
  bool first = true;
  std::apply(
      [&](const auto&... c) {
        ((first ? first = false : (sink.put(','), true),
          put_component<typename std::remove_cvref_t<decltype(c)>::Type>(sink, c.info)),
         ...);
      },
      d.components);
  sink.put("]}");
}

template <size_t N>
struct alignas(4) DescriptorNote {
  uint32_t name_size = 4;
  uint32_t content_size = N;
  uint32_t type = 1;
  char name[4] = {'h', 'o', 'b', 0};
  char text[N]{};
};

// `make` is a captureless function object that returns the Definition: its type carries it.
template <class Make>
constexpr auto descriptor_note(Make make) {
  constexpr size_t size = [] {
    TextSink sink(nullptr);
    put_definition(sink, Make{}());
    return sink.size();
  }();
  DescriptorNote<size> note;
  TextSink sink(note.text);
  put_definition(sink, make());
  return note;
}

}  // namespace hob::detail
