#include "unit/plugins/fake_host.h"

#include <dlfcn.h>

#include <filesystem>
#include <fstream>
#include <iterator>

#include "host/descriptor.h"

namespace hob::test {
namespace {

namespace fs = std::filesystem;

struct ToValue {
  hob_config& config;
  const std::string& key;

  hob_value operator()(bool v) const { return {HOB_VALUE_BOOL, 0, {.i = v}}; }
  hob_value operator()(int64_t v) const { return {HOB_VALUE_INT, 0, {.i = v}}; }
  hob_value operator()(double v) const { return {HOB_VALUE_FLOAT, 0, {.f = v}}; }
  hob_value operator()(const std::string& v) const {
    return {HOB_VALUE_STRING, size(v), {.s = v.c_str()}};
  }
  hob_value operator()(const std::vector<int64_t>& v) const {
    return {HOB_VALUE_INTS, size(v), {.ints = v.data()}};
  }
  hob_value operator()(const std::vector<double>& v) const {
    return {HOB_VALUE_FLOATS, size(v), {.floats = v.data()}};
  }
  hob_value operator()(const std::vector<std::string>& v) const {
    std::vector<const char*>& pointers = config.strings[key];
    pointers.clear();
    for (const std::string& s : v) pointers.push_back(s.c_str());
    return {HOB_VALUE_STRINGS, size(v), {.strings = pointers.data()}};
  }
  template <class Container>
  static uint32_t size(const Container& c) {
    return static_cast<uint32_t>(c.size());
  }
};

hob_error* config_get(const hob_config* config, const char* key, hob_value* out) {
  const auto found = config->values.find(key);
  if (found == config->values.end()) {
    return new hob_error{HOB_ERROR_INVALID, std::string("no parameter ") + key};
  }
  *out = std::visit(ToValue{const_cast<hob_config&>(*config), found->first}, found->second);
  return nullptr;
}

hob_error* write(hob_writer* writer, const char* name, const hob_value* value) {
  switch (value->kind) {
    case HOB_VALUE_INT:
      writer->values[name] = value->as.i;
      return nullptr;
    case HOB_VALUE_FLOAT:
      writer->values[name] = value->as.f;
      return nullptr;
    case HOB_VALUE_STRING:
      writer->values[name] = std::string(value->as.s, value->count);
      return nullptr;
    default:
      return new hob_error{HOB_ERROR_UNSUPPORTED, "no such value in the fake host"};
  }
}

hob_core make_core() {
  hob_core core{};
  core.struct_size = sizeof core;
  core.error_new = [](int32_t code, const char* text, size_t size) {
    return new hob_error{code, std::string(text, size)};
  };
  core.error_code = [](const hob_error* error) { return error->code; };
  core.error_text = [](const hob_error* error) { return error->text.c_str(); };
  core.error_free = [](hob_error* error) { delete error; };
  core.log = [](hob_env* env, int32_t, const char* text, size_t size) {
    env->log.emplace_back(text, size);
  };
  core.instance_name = [](const hob_env* env) { return env->name.c_str(); };
  core.instance_seed = [](const hob_env* env) { return env->seed; };
  core.config_get = config_get;
  core.write = write;
  return core;
}

const void* interface(const char* id) {
  static const hob_core core = make_core();
  return std::string_view(id) == HOB_CORE_INTERFACE ? &core : nullptr;
}

recipe::ComponentSchema read_schema(const fs::path& file) {
  std::ifstream in(file, std::ios::binary);
  if (!in) throw std::runtime_error(file.string() + " was not built");
  const std::string bytes{std::istreambuf_iterator<char>(in), {}};
  return host::read_descriptor(host::read_elf(bytes)).components.at(0);
}

const hob_component& load_component(const fs::path& file) {
  static const hob_host host{sizeof(hob_host), 1, 0, 0, interface};
  void* library = dlopen(file.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (!library) throw std::runtime_error(dlerror());
  const auto entry =
      reinterpret_cast<decltype(&hob_plugin_main)>(dlsym(library, "hob_plugin_main"));
  const hob_plugin* plugin = nullptr;
  check(entry(&host, &plugin));
  return *plugin->components[0];
}

size_t element_size(uint32_t dtype) {
  switch (dtype) {
    case HOB_UINT8:
      return 1;
    case HOB_FLOAT16:
    case HOB_INT16:
      return 2;
    case HOB_FLOAT32:
      return 4;
    case HOB_INT64:
    case HOB_FLOAT64:
      return 8;
    default:
      throw std::logic_error("an element type that no test uses");
  }
}

std::vector<hob_view> views(std::span<const Array> arrays) {
  std::vector<hob_view> result;
  for (const Array& array : arrays) result.push_back(array.view());
  return result;
}

}  // namespace

Instance::Instance(const std::string& plugin, const Overrides& overrides, uint64_t seed)
    : env_{plugin + ".0", seed, {}} {
  const fs::path file = fs::path(HOB_PLUGINS) / (plugin + ".so");
  hob_config config;
  for (const recipe::ParamSchema& param : read_schema(file).params) {
    if (param.default_value) config.values[param.name] = *param.default_value;
  }
  for (const auto& [key, value] : overrides) config.values[key] = value;
  table_ = load_component(file).table;
  check(table_->create(&env_, &config, &self));
}

Array::Array(const hob_field& field) {
  view_.dtype = field.dtype;
  view_.rank = field.rank;
  int64_t count = 1;
  for (uint32_t i = field.rank; i-- > 0;) {
    view_.shape[i] = field.shape[i];
    view_.stride[i] = count;
    count *= field.shape[i];
  }
  bytes_.resize(static_cast<size_t>(count) * element_size(field.dtype));
  view_.data = bytes_.data();
}

std::vector<hob_field> fields_of(const Instance& dataset) {
  std::vector<hob_field> fields(16);
  uint32_t count = 0;
  dataset.call(&hob_dataset::fields, fields.data(), uint32_t{16}, &count);
  fields.resize(count);
  return fields;
}

std::vector<Array> read_sample(const Instance& dataset, uint64_t index) {
  std::vector<Array> arrays;
  for (const hob_field& field : fields_of(dataset)) arrays.emplace_back(field);
  const auto out = views(arrays);
  dataset.call(&hob_dataset::read, index, out.data(), static_cast<uint32_t>(out.size()));
  return arrays;
}

PlannedTransform::PlannedTransform(const std::string& plugin, const Overrides& overrides,
                                   const hob_field& image)
    : instance_(plugin, overrides), in_{image, make_field("label", HOB_INT64, {})}, out_(2) {
  instance_.call(&hob_transform::plan, in_.data(), uint32_t{2}, out_.data());
}

Array PlannedTransform::apply(const Array& image, const hob_sample& sample) const {
  Array label(in_[1]);
  label.as<int64_t>()[0] = 77;
  Array result(out_[0]);
  Array label_after(out_[1]);
  const hob_view in[] = {image.view(), label.view()};
  const hob_view out[] = {result.view(), label_after.view()};
  instance_.call(&hob_transform::apply, &sample, in, out, uint32_t{2});
  if (label_after.as<int64_t>()[0] != 77) throw std::logic_error("the label was changed");
  return result;
}

hob_field make_field(const char* name, uint32_t dtype, const std::vector<int64_t>& shape) {
  hob_field field{};
  field.name = name;
  field.dtype = dtype;
  field.rank = static_cast<uint32_t>(shape.size());
  std::copy(shape.begin(), shape.end(), field.shape);
  return field;
}

}  // namespace hob::test
