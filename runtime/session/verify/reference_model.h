#pragma once

#include <ATen/core/Tensor.h>

#include <functional>
#include <map>
#include <string>

#include "host/tables/instance.h"
#include "host/tables/world.h"

namespace hob::session::verify {

// A small model for components that act on one: every layer a socket, every block a segment.
//
//   stem.conv (3 -> 8, 3x3)  stem.norm (8)  blocks.0.fc, blocks.1.fc (8 -> 8)  head (8 -> 5)
//
// images (B, 3, 6, 6) float32 -> logits (B, 5). Its weights follow from the seed.
class ReferenceModel {
 public:
  ReferenceModel(host::World& world, uint64_t seed);
  ReferenceModel(const ReferenceModel&) = delete;
  ReferenceModel& operator=(const ReferenceModel&) = delete;

  static constexpr int64_t kClasses = 5;

  at::Tensor forward(const at::Tensor& images);

  // The gradients of the cross entropy of a batch, by the parameters' names: of those that have
  // one. The cells' own are cleared first.
  std::map<std::string, at::Tensor> gradients(const at::Tensor& images, const at::Tensor& labels);

 private:
  using Body = std::function<at::Tensor(const at::Tensor&)>;

  host::Socket& add_layer(const std::string& name, uint32_t kind, at::IntArrayRef weight_sizes,
                          uint32_t role);
  at::Tensor run(const host::Socket& layer, const at::Tensor& input);
  at::Tensor run(host::Segment& segment, Body body, const at::Tensor& input);

  host::World& world_;
  hob_env env_;
  uint64_t seed_;
  host::Socket *conv_, *norm_, *first_, *second_, *head_;
  host::Segment* blocks_[2];
};

}  // namespace hob::session::verify
