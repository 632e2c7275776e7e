#pragma once

#include <hob/abi/core.h>
#include <hob/abi/dataset.h>
#include <hob/abi/entry.h>
#include <hob/abi/transform.h>

#include <map>
#include <memory>
#include <span>
#include <stdexcept>
#include <string>
#include <variant>
#include <vector>

#include "recipe/component_schema.h"

// The least of a host that plugins without tensors need: each is tested through its own C table, as
// hob itself would call it, and without LibTorch.

struct hob_error {
  int32_t code;
  std::string text;
};
struct hob_env {
  std::string name;
  uint64_t seed;
  std::vector<std::string> log;
};
struct hob_config {
  std::map<std::string, hob::recipe::Value> values;
  std::map<std::string, std::vector<const char*>> strings;  // what string lists point to
};
struct hob_writer {
  std::map<std::string, std::variant<int64_t, double, std::string>> values;
};
struct hob_reader {
  const hob_writer& saved;
};

namespace hob::test {

// An error that a plugin returned.
class PluginFailure : public std::runtime_error {
 public:
  explicit PluginFailure(hob_error* owned) : std::runtime_error(owned->text), code(owned->code) {
    delete owned;
  }
  const int32_t code;
};

inline void check(hob_error* error) {
  if (error) throw PluginFailure(error);
}

using Overrides = std::map<std::string, recipe::Value>;

// An instance of the one component of a first-party plugin; parameters that are not given take the
// defaults of its descriptor.
class Instance {
 public:
  explicit Instance(const std::string& plugin, const Overrides& overrides = {}, uint64_t seed = 1);
  ~Instance() { table_->destroy(self); }
  Instance(const Instance&) = delete;
  Instance& operator=(const Instance&) = delete;

  // Calls a function of the kind's table and throws what it returns.
  template <class Table, class... Parameters, class... Arguments>
  void call(hob_error* (*Table::*function)(void*, Parameters...), Arguments... arguments) const {
    check((reinterpret_cast<const Table*>(table_)->*function)(self, arguments...));
  }
  const std::vector<std::string>& log() const { return env_.log; }

  void* self = nullptr;

 private:
  const hob_component_table* table_;
  hob_env env_;
};

// Memory of one field of a sample.
class Array {
 public:
  explicit Array(const hob_field& field);
  const hob_view& view() const { return view_; }
  template <class T>
  std::span<T> as() {
    return {reinterpret_cast<T*>(bytes_.data()), bytes_.size() / sizeof(T)};
  }

 private:
  std::vector<unsigned char> bytes_;
  hob_view view_{};
};

std::vector<hob_field> fields_of(const Instance& dataset);
std::vector<Array> read_sample(const Instance& dataset, uint64_t index);

// A transform that has planned for one field "image" and a label.
class PlannedTransform {
 public:
  PlannedTransform(const std::string& plugin, const Overrides& overrides, const hob_field& image);
  const hob_field& image() const { return out_[0]; }
  // The image that comes out; the label passes through, which is checked.
  Array apply(const Array& image, const hob_sample& sample) const;

 private:
  Instance instance_;
  std::vector<hob_field> in_, out_;
};

// A field of the given type and shape.
hob_field make_field(const char* name, uint32_t dtype, const std::vector<int64_t>& shape);

}  // namespace hob::test
