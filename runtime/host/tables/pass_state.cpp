#include "host/tables/pass_state.h"

#include <ATen/Context.h>
#include <ATen/autocast_mode.h>
#include <c10/core/impl/LocalDispatchKeySet.h>

#include <mutex>

namespace hob::host {
namespace {

// The CPU, where preprocessing inside a model draws too, and the run's device. Others (Meta) have
// neither random numbers nor autocast.
std::vector<at::Device> devices_of(const World& world) {
  std::vector<at::Device> devices = {at::Device(at::kCPU)};
  if (world.device().is_cuda()) devices.push_back(world.device());
  return devices;
}

// A planner that runs everything on Meta tensors must not see the generators' state.
struct OutsideOfModes {
  c10::impl::ExcludeDispatchKeyGuard guard{c10::DispatchKey::TESTING_ONLY_GenericMode};
};

}  // namespace

PassState PassState::capture(World& world) {
  const OutsideOfModes outside;
  PassState result;
  for (const at::Device device : devices_of(world)) {
    at::Generator generator = at::globalContext().defaultGenerator(device);
    const std::lock_guard lock(generator.mutex());
    result.random_.push_back({generator, generator.get_state()});
    result.autocast_.push_back({device.type(), at::autocast::is_autocast_enabled(device.type()),
                                at::autocast::get_autocast_dtype(device.type())});
  }
  result.pass_ = world.pass();
  return result;
}

void PassState::apply(World& world) const {
  const OutsideOfModes outside;
  for (Random random : random_) {
    const std::lock_guard lock(random.generator.mutex());
    random.generator.set_state(random.state);
  }
  for (const Autocast& autocast : autocast_) {
    at::autocast::set_autocast_enabled(autocast.device, autocast.enabled);
    at::autocast::set_autocast_dtype(autocast.device, autocast.dtype);
  }
  world.pass() = pass_;
}

NoAutocastCache::NoAutocastCache() : before_(at::autocast::is_autocast_cache_enabled()) {
  at::autocast::set_autocast_cache_enabled(false);
}

NoAutocastCache::~NoAutocastCache() {
  at::autocast::set_autocast_cache_enabled(before_);
}

}  // namespace hob::host
