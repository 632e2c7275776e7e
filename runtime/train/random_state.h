#pragma once

#include <ATen/core/Tensor.h>
#include <c10/core/Device.h>

namespace hob::train {

// The state of LibTorch's default generators: of the CPU, and of the run's GPU where there is one.
struct RandomState {
  at::Device device{at::kCPU};
  at::Tensor cpu;   // uint8
  at::Tensor cuda;  // uint8; undefined on a CPU

  static RandomState capture(at::Device device);
  void restore() const;
};

}  // namespace hob::train
