#pragma once

#include <hob/abi/entry.h>

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "host/tables/plugin_error.h"
#include "host/tables/state.h"
#include "host/tables/value.h"
#include "host/tables/world.h"
#include "recipe/recipe.h"

// Who calls: one instance of a component in a run. Lives as long as the Instance.
struct hob_env {
  hob::host::World* world = nullptr;  // null where no run is composed (verify of a schedule, ...)
  std::string instance;               // "callback.0"
  std::string label;                  // for messages: "callback.0 (ema)"
  uint64_t seed = 0;
};

// The resolved parameters of an instance; values are borrowed from it.
struct hob_config {
  explicit hob_config(const hob::recipe::Params& params);
  hob_config(const hob_config&) = delete;  // the values point into it
  hob_config& operator=(const hob_config&) = delete;

  const hob_value* find(std::string_view key) const;  // null where there is none
  std::vector<std::string> keys() const;

 private:
  hob::recipe::Params params_;  // what the values point into
  hob::host::StringArrays strings_;
  std::map<std::string, hob_value, std::less<>> values_;
};

namespace hob::host {

// The table that every plugin is given. Lives until the process ends.
const hob_host* host_table();
// The ids that host_table() answers: for HostOffer.
std::vector<std::string> host_interfaces();
// The ids of component tables that this hob runs: for HostOffer.
std::vector<std::string> component_interfaces();
// The LibTorch that this hob is linked with: for HostOffer.
struct TorchBuild torch_build();

// What is wrong with a component's table beyond create and destroy: a NULL where the kind needs a
// function, or a struct too small; "" when nothing is.
std::string check_component(const recipe::ComponentSchema& schema, const hob_component& component);

// Text of an error, which is freed.
std::string take_error(hob_error* error);

// A component at work: made, called and destroyed. Calls go through call(), which adds the
// instance's name to an error and throws it as hob::Error. Main thread, but for call().
class Instance {
 public:
  // `table` is the component's, from its loaded plugin. The name is as in the recipe, "callback.0";
  // the seed is made of the run's seed and the name.
  Instance(const hob_component_table* table, std::string component, std::string name,
           uint64_t run_seed, World* world, const recipe::Params& params);
  ~Instance();
  Instance(const Instance&) = delete;
  Instance& operator=(const Instance&) = delete;

  template <class Table>
  const Table& table() const {
    return *reinterpret_cast<const Table*>(table_);
  }
  void* self() const { return self_; }
  const std::string& name() const { return env_.instance; }    // "optimizer"
  const std::string& component() const { return component_; }  // "adamw"
  uint64_t seed() const { return env_.seed; }

  // Calls a function of Table: instance.call(&hob_schedule::factor, "lr", 3, 10, &out). [any]
  template <class Table, class... Parameters, class... Arguments>
  void call(hob_error* (*Table::*function)(void*, Parameters...), Arguments&&... arguments) const {
    hob_error* error = (table<Table>().*function)(self_, std::forward<Arguments>(arguments)...);
    if (error) [[unlikely]]
      raise(error);
  }

  // The instance's own state, empty where it has none.
  State save() const;
  void load(const State& state);

  // Throws the error with the instance's name, and frees it. out-of-memory and data errors keep
  // their code as PluginError.
  [[noreturn]] void raise(hob_error* error) const;

 private:
  const hob_component_table* table_;
  std::string component_;
  hob_env env_;
  void* self_ = nullptr;
};

}  // namespace hob::host
