#include "train/random_state.h"

#include <ATen/Context.h>

#include <mutex>

namespace hob::train {
namespace {

at::Tensor get_state(at::Device device) {
  at::Generator generator = at::globalContext().defaultGenerator(device);
  const std::lock_guard lock(generator.mutex());
  return generator.get_state();
}

void set_state(at::Device device, const at::Tensor& state) {
  at::Generator generator = at::globalContext().defaultGenerator(device);
  const std::lock_guard lock(generator.mutex());
  generator.set_state(state);
}

}  // namespace

RandomState RandomState::capture(at::Device device) {
  RandomState result{device, get_state(at::kCPU), {}};
  if (device.is_cuda()) result.cuda = get_state(device);
  return result;
}

void RandomState::restore() const {
  set_state(at::kCPU, cpu);
  if (cuda.defined()) set_state(device, cuda);
}

}  // namespace hob::train
