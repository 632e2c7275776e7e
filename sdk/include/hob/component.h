#pragma once

#include <hob/detail/descriptor.h>
#include <hob/tensor.h>

#include <memory>

// What components of all kinds share: their configuration, their environment, their state.

namespace hob {

// Where an instance writes its state, and reads it again. Names are free; a name is written once.
class Writer {
 public:
  explicit Writer(hob_writer* handle) : handle_(handle) {}

  void put(const char* name, int64_t value) { put_value(name, {HOB_VALUE_INT, 0, {.i = value}}); }
  void put(const char* name, double value) { put_value(name, {HOB_VALUE_FLOAT, 0, {.f = value}}); }
  void put(const char* name, std::string_view value) {
    const std::string text(value);  // the ABI promises a NUL
    put_value(name, {HOB_VALUE_STRING, static_cast<uint32_t>(text.size()), {.s = text.c_str()}});
  }
  void put(const char* name, TensorRef value) {
    put_value(name, {HOB_VALUE_TENSOR, 0, {.tensor = value.handle()}});
  }

 private:
  void put_value(const char* name, const hob_value& v) { check(core().write(handle_, name, &v)); }
  hob_writer* handle_;
};

class Reader {
 public:
  Reader(hob_reader* handle, uint32_t version) : handle_(handle), version_(version) {}

  uint32_t version() const { return version_; }  // the state_version that wrote it
  int64_t get_int(const char* name) { return get(name, HOB_VALUE_INT).as.i; }
  double get_float(const char* name) { return get(name, HOB_VALUE_FLOAT).as.f; }
  std::string get_string(const char* name) {
    const hob_value v = get(name, HOB_VALUE_STRING);
    return {v.as.s, v.count};
  }
  Tensor get_tensor(const char* name) { return Tensor(get(name, HOB_VALUE_TENSOR).as.tensor); }

 private:
  hob_value get(const char* name, uint32_t kind) {
    hob_value v{};
    check(core().read(handle_, name, &v));
    if (v.kind != kind) {
      throw Error("the saved state has no '" + std::string(name) + "' of the right type",
                  HOB_ERROR_INVALID);
    }
    return v;
  }
  hob_reader* handle_;
  uint32_t version_;
};

namespace detail {
// What the constructor of a component's base takes its configuration from. Components are made on
// the main thread, one at a time.
struct Construction {
  hob_env* env = nullptr;
  const hob_config* config = nullptr;
};
inline Construction construction;
}  // namespace detail

// Base of all kinds. When a component's own members are made, config and env are there already.
template <class Config>
class Component {
 public:
  using ConfigType = Config;
  static constexpr uint32_t kStateVersion = 1;  // a derived class may raise it

  Component(const Component&) = delete;
  Component& operator=(const Component&) = delete;
  virtual ~Component() = default;

  // The state that a resumed run needs; nothing by default. [main]
  virtual void save(Writer&) const {}
  virtual void load(Reader&) {}

  void log_info(std::string_view text) const { core().log(env_, 1, text.data(), text.size()); }
  void log_warning(std::string_view text) const { core().log(env_, 2, text.data(), text.size()); }
  std::string instance_name() const { return core().instance_name(env_); }
  uint64_t instance_seed() const { return core().instance_seed(env_); }
  hob_env* env() const { return env_; }

  const Config config;

 protected:
  Component()
      : config(Config::hob_read(detail::construction.config)), env_(detail::construction.env) {}

 private:
  hob_env* env_;
};

namespace detail {

template <class T>
hob_component_table component_table(size_t table_size) {
  return {
      .struct_size = static_cast<uint32_t>(table_size),
      .state_version = T::kStateVersion,
      .create =
          [](hob_env* env, const hob_config* config, void** self) {
            return guard([&] {
              construction = {env, config};
              *self = std::make_unique<T>().release();
            });
          },
      .destroy = [](void* self) { delete static_cast<T*>(self); },
      .save =
          [](void* self, hob_writer* writer) {
            return guard([&] {
              Writer w(writer);
              static_cast<T*>(self)->save(w);
            });
          },
      .load =
          [](void* self, hob_reader* reader, uint32_t version) {
            return guard([&] {
              Reader r(reader, version);
              static_cast<T*>(self)->load(r);
            });
          },
      .interface = nullptr,
  };
}

// The C table of a component; each kind's base class makes it (make_table).
template <class T>
const hob_component_table* table_of() {
  static const auto table = T::template make_table<T>();
  return &table.component;
}

template <class T>
struct Added {
  using Type = T;
  ComponentInfo info;
};

struct Mark {
  Marks ComponentInfo::*list;
  std::string_view name;
};

// Copies a list that a component returned into the host's array.
template <class T>
void fill(const std::vector<T>& from, T* out, uint32_t capacity, uint32_t* count,
          const char* what) {
  if (from.size() > capacity) {
    throw Error("there are " + std::to_string(from.size()) + " " + what + ", at most " +
                std::to_string(capacity) + " are possible");
  }
  std::copy(from.begin(), from.end(), out);
  *count = static_cast<uint32_t>(from.size());
}

}  // namespace detail

// Marks for hob::add: what a component can do, and how it composes with others.
constexpr detail::Mark trait(std::string_view name) {
  return {&detail::ComponentInfo::traits, name};
}
constexpr detail::Mark provides(std::string_view name) {
  return {&detail::ComponentInfo::provides, name};
}
constexpr detail::Mark needs(std::string_view name) {
  return {&detail::ComponentInfo::needs, name};
}
constexpr detail::Mark conflicts(std::string_view name) {
  return {&detail::ComponentInfo::conflicts, name};
}

// Lists a component for HOB_PLUGIN: hob::add<Sgd>("sgd", "Stochastic gradient descent", marks...).
template <class T, class... Mark>
constexpr detail::Added<T> add(std::string_view name, std::string_view summary, Mark... marks) {
  detail::Added<T> result{{T::kKind, name, T::kInterface, summary, {}, {}, {}, {}}};
  (((result.info.*marks.list).items[(result.info.*marks.list).count++] = marks.name), ...);
  return result;
}

}  // namespace hob
