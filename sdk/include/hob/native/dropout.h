#pragma once

#include <ATen/ops/dropout.h>

#include <hob/native/scope.h>

namespace hob::native {

// Zeroes each element with probability p in training, and scales the others by 1 / (1 - p).
class Dropout {
 public:
  Dropout(const Scope& scope, double p) : pass_(scope.pass()), p_(p) {}

  // The probability in force in this pass.
  double probability() const { return pass_->training ? p_ : 0.0; }
  at::Tensor operator()(const at::Tensor& input) const {
    return probability() > 0 ? at::dropout(input, p_, true) : input;
  }

 private:
  const hob_pass* pass_;
  double p_;
};

}  // namespace hob::native
