#pragma once

#include <ATen/core/Tensor.h>
#include <ATen/ops/empty.h>

#include <cmath>
#include <functional>

// First values of parameters, drawn from LibTorch's default generator: with the same seed they are
// bitwise those of torch.nn.

namespace hob::native {

// Fills a new tensor in place.
using Init = std::function<void(const at::Tensor& value)>;

namespace init {

inline Init constant(double value) {
  return [value](const at::Tensor& t) { t.fill_(value); };
}
inline Init uniform(double bound) {
  return [bound](const at::Tensor& t) { t.uniform_(-bound, bound); };
}
inline Init normal(double deviation) {
  return [deviation](const at::Tensor& t) { t.normal_(0, deviation); };
}

// Elements that one output of a weight (out, in, k...) is made of.
inline int64_t fan_in(const at::Tensor& weight) {
  return weight.numel() / weight.size(0);
}

// torch.nn's default of linear layers and convolutions: kaiming_uniform_ with a = sqrt(5). The
// bound is 1 / sqrt(fan_in), in the order of operations that gives PyTorch's rounding.
inline Init kaiming_uniform() {
  return [](const at::Tensor& t) {
    const double slope = std::sqrt(5.0);
    const double gain = std::sqrt(2.0 / (1.0 + slope * slope));
    const double deviation = gain / std::sqrt(static_cast<double>(fan_in(t)));
    const double bound = std::sqrt(3.0) * deviation;
    t.uniform_(-bound, bound);
  };
}
// torchvision's of convolutions: kaiming_normal_ with mode fan_out for ReLU.
inline Init kaiming_normal_fan_out() {
  return [](const at::Tensor& t) {
    const int64_t fan_out = t.numel() / t.size(1);
    t.normal_(0, std::sqrt(2.0) / std::sqrt(static_cast<double>(fan_out)));
  };
}

}  // namespace init

// A float32 tensor on the CPU, where every parameter begins.
inline at::Tensor make_value(at::IntArrayRef sizes, const Init& init) {
  at::Tensor value = at::empty(sizes, at::kFloat);
  init(value);
  return value;
}

}  // namespace hob::native
