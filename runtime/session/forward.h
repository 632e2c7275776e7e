#pragma once

#include <hob/abi/model.h>
#include <hob/abi/objective.h>

#include <span>
#include <string>
#include <vector>

#include "data/torch/feed.h"
#include "session/session.h"

namespace hob::session {

// What a model returned, by name. Holds the tensors.
class Outputs {
 public:
  Outputs() = default;
  Outputs(Outputs&& other) noexcept : tensors_(std::exchange(other.tensors_, {})) {}
  Outputs& operator=(Outputs&& other) noexcept {
    std::swap(tensors_, other.tensors_);
    return *this;
  }
  ~Outputs();

  std::span<const hob_named_tensor> tensors() const { return tensors_; }

 private:
  friend class Forward;
  std::vector<hob_named_tensor> tensors_;
};

// The model and its objective at work on a micro-batch, in the scopes of the run's precision.
class Forward {
 public:
  // Checks that the data have the fields that the model wants. Throws Error (usage).
  Forward(Session& session, std::span<const hob_field> fields);

  // Runs the model; whether gradients are recorded is the caller's. `training` is what layers with
  // two ways (dropout, BatchNorm) ask for.
  Outputs run(const data::Batch& batch, bool training);

  // The sum of each term over the micro-batch.
  std::vector<at::Tensor> sums(const Outputs& outputs, const data::Batch& batch);

  const std::vector<hob_term>& terms() const { return terms_; }

 private:
  void check_classes(const Outputs& outputs);

  Session& session_;
  std::vector<hob_field> fields_;
  std::vector<hob_term> terms_;
  bool classes_checked_ = false;
};

// The objective's terms. [load]
std::vector<hob_term> objective_terms(const host::Instance& objective);

}  // namespace hob::session
