#pragma once

#include <ATen/core/Tensor.h>
#include <hob/abi/segments.h>

#include <functional>
#include <memory>
#include <vector>

#include "host/tables/world.h"

namespace hob::host {

// The body of a segment. It may run again at any time while it lives.
using SegmentBody = std::function<std::vector<at::Tensor>(const std::vector<at::Tensor>& inputs)>;

// Runs the body without recording what it does, and again in backward, where its gradients are
// made: of the activations only the inputs are kept. Outputs and gradients are bitwise those of a
// plain run: random numbers, autocast and the pass are as they were, with pass.recompute set.
//
// What needs a gradient must be an input or a parameter. Gradients of parameters are accumulated
// where backward() accumulates; torch::autograd::grad() does not see them.
std::vector<at::Tensor> run_recomputed(World& world, SegmentBody body,
                                       const std::vector<at::Tensor>& inputs);

}  // namespace hob::host
