#include "host/tables/instance.h"

#include <exception>

#include "base/log.h"
#include "host/tables/guard.h"
#include "host/tables/state_io.h"

namespace hob::host {
namespace {

// FNV-1a over the name, mixed with the run's seed by the finaliser of splitmix64 (Steele et al.,
// "Fast splittable pseudorandom number generators", 2014): each instance has its own stream, which
// other instances of the recipe do not change.
uint64_t instance_seed(uint64_t run_seed, std::string_view name) {
  uint64_t hash = 0xcbf29ce484222325;
  for (const char c : name) hash = (hash ^ static_cast<unsigned char>(c)) * 0x100000001b3;
  uint64_t z = hash + (run_seed + 1) * 0x9e3779b97f4a7c15;
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9;
  z = (z ^ (z >> 27)) * 0x94d049bb133111eb;
  return z ^ (z >> 31);
}

}  // namespace

std::string take_error(hob_error* error) {
  try {
    check(error);
  } catch (const PluginError& thrown) {
    return thrown.what();
  }
  return "";
}

Instance::Instance(const hob_component_table* table, std::string component, std::string name,
                   uint64_t run_seed, World* world, const recipe::Params& params)
    : table_(table), component_(std::move(component)) {
  env_.world = world;
  env_.label = name + " (" + component_ + ")";
  env_.seed = instance_seed(run_seed, name);
  env_.instance = std::move(name);
  const hob_config config(params);
  hob_error* error = table_->create(&env_, &config, &self_);
  if (!error) return;
  if (world) world->remove_links(&env_);
  raise(error);
}

Instance::~Instance() {
  try {
    if (env_.world) env_.world->remove_links(&env_);
    table_->destroy(self_);
  } catch (const std::exception& error) {
    log::error(env_.label + " threw when it was destroyed: " + error.what());
  } catch (...) {
    log::error(env_.label + " threw when it was destroyed");
  }
}

State Instance::save() const {
  State state;
  if (!table_->save) return state;
  hob_writer writer(state);
  if (hob_error* error = table_->save(self_, &writer)) raise(error);
  state.version = table_->state_version;
  return state;
}

void Instance::load(const State& state) {
  if (state.version == 0) return;
  if (state.version > table_->state_version || !table_->load) {
    throw Error(Fault::kPlugin, env_.label + ": the saved state is of version " +
                                    std::to_string(state.version) +
                                    ", and this plugin reads up to " +
                                    std::to_string(table_->load ? table_->state_version : 0) +
                                    "; use the plugin that wrote it, or a newer one");
  }
  hob_reader reader(state);
  if (hob_error* error = table_->load(self_, &reader, state.version)) raise(error);
}

void Instance::raise(hob_error* error) const {
  add_instance(*error, env_.label);
  check(error);
  std::terminate();  // not reached: check throws
}

}  // namespace hob::host
