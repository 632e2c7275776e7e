#include "host/tables/state.h"

#include "base/text.h"
#include "host/tables/guard.h"
#include "host/tables/list.h"
#include "host/tables/state_io.h"
#include "host/tables/value.h"

namespace {

using hob::host::State;

std::string length_key(const std::string& name) {
  return name + "[]";
}
std::string element_key(const std::string& name, uint32_t index) {
  return name + "[" + std::to_string(index) + "]";
}

std::string checked_name(std::string_view name) {
  const auto is_bad = [](char c) {
    return static_cast<unsigned char>(c) < 0x20 || c == 0x7f || c == '[' || c == ']';
  };
  bool bad = name.empty();
  for (const char c : name) bad = bad || is_bad(c);
  if (bad) {
    hob::host::refuse("a state cannot be named " + hob::quote(name) +
                      ": names are not empty and hold no brackets and no control characters");
  }
  return std::string(name);
}

State::Value plain_value(const std::string& name, const hob_value& value) {
  const auto array = [&](auto* first) { return std::vector(first, first + value.count); };
  switch (value.kind) {
    case HOB_VALUE_INT:
    case HOB_VALUE_BOOL:
    case HOB_VALUE_DTYPE:
    case HOB_VALUE_SCALAR_INT:
      return value.as.i;
    case HOB_VALUE_FLOAT:
    case HOB_VALUE_SCALAR_FLOAT:
      return value.as.f;
    case HOB_VALUE_STRING:
      return std::string(value.as.s, value.count);
    case HOB_VALUE_INTS:
      return array(value.as.ints);
    case HOB_VALUE_FLOATS:
      return array(value.as.floats);
    case HOB_VALUE_STRINGS:
      return std::vector<std::string>(value.as.strings, value.as.strings + value.count);
    default:
      hob::host::refuse("the state " + hob::quote(name) + " has a value of kind " +
                        std::to_string(value.kind) + ", which cannot be saved");
  }
}

}  // namespace

void hob_writer::write(std::string_view given_name, const hob_value& value) {
  const std::string name = checked_name(given_name);
  if (state_.tensors.count(name) || state_.values.count(name) ||
      state_.values.count(length_key(name))) {
    hob::host::refuse("the state " + hob::quote(name) + " is written twice");
  }
  if (value.kind == HOB_VALUE_LIST) {
    write_list(name, *value.as.list);
  } else if (value.kind == HOB_VALUE_TENSOR) {
    state_.tensors.emplace(name, hob::host::tensor_of(value.as.tensor).detach());
  } else {
    state_.values.emplace(name, plain_value(name, value));
  }
}

void hob_writer::write_list(const std::string& name, const hob_list& list) {
  state_.values.emplace(length_key(name), static_cast<int64_t>(list.size()));
  for (uint32_t i = 0; i < list.size(); ++i) {
    if (list.at(i).defined()) state_.tensors.emplace(element_key(name, i), list.at(i).detach());
  }
}

hob_value hob_reader::read(std::string_view given_name) {
  const std::string name(given_name);
  hob_value result{};
  if (const auto found = state_.tensors.find(name); found != state_.tensors.end()) {
    result.kind = HOB_VALUE_TENSOR;
    result.as.tensor = hob::host::give(found->second);
    return result;
  }
  if (const auto length = state_.values.find(length_key(name)); length != state_.values.end()) {
    std::vector<at::Tensor> tensors;
    const auto count = static_cast<uint32_t>(std::get<int64_t>(length->second));
    for (uint32_t i = 0; i < count; ++i) {
      const auto element = state_.tensors.find(element_key(name, i));
      tensors.push_back(element == state_.tensors.end() ? at::Tensor() : element->second);
    }
    result.kind = HOB_VALUE_LIST;
    result.as.list = hob::host::make_list(std::move(tensors));
    return result;
  }
  const auto found = state_.values.find(name);
  return found == state_.values.end() ? result : hob::host::value_of(found->second, strings_);
}
