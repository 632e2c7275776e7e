#include "train/update.h"

#include <ATen/TensorOperators.h>
#include <ATen/core/grad_mode.h>
#include <ATen/ops/_foreach_mul.h>
#include <ATen/ops/_foreach_norm.h>
#include <ATen/ops/clamp.h>
#include <ATen/ops/linalg_vector_norm.h>
#include <ATen/ops/stack.h>
#include <ATen/ops/zeros.h>

#include <cmath>
#include <limits>

#include "base/log.h"

namespace hob::train {

Updater::Updater(session::Session& session, session::Forward& forward)
    : session_(session), forward_(forward) {}

UpdateResult Updater::run(const data::FeedStep& step, uint64_t update, const Factors& factors,
                          bool measure) {
  UpdateResult result;
  const recipe::Train& train = session_.recipe.train;
  const bool guards = train.on_nonfinite == recipe::OnNonfinite::kSkip;
  // What forward changes (BatchNorm's statistics) must not keep the traces of a skipped update.
  const std::vector<at::Tensor> buffers = guards ? copy_buffers() : std::vector<at::Tensor>();
  session_.optimizer->clear_gradients();
  result.loss = backward(step, update);
  if (!result.loss.defined()) {
    log::warn_once("no weight", "the targets of update " + std::to_string(update + 1) +
                                    " have no weight at all (every label is ignored): such "
                                    "updates are skipped");
    result.loss = at::zeros({});
    result.skipped = true;
    return result;
  }
  const bool clips = std::isfinite(train.clip_norm);
  if (clips || measure || guards) {
    const at::NoGradGuard no_grad;
    result.grad_norm = clip(session_.optimizer->gradients(),
                            clips ? train.clip_norm : std::numeric_limits<double>::infinity());
  }
  if (guards) {
    log::warn_once("skip waits",
                   "train.on_nonfinite = \"skip\": every update waits for the device");
    // sync: asked for by on_nonfinite
    const double sum = (result.grad_norm->to(at::kDouble) + result.loss).item<double>();
    if (!std::isfinite(sum)) {
      result.skipped = true;
      restore_buffers(buffers);
      return result;
    }
  }
  session_.optimizer->step(factors.lr, factors.weight_decay, nullptr);
  return result;
}

std::vector<at::Tensor> Updater::copy_buffers() const {
  std::vector<at::Tensor> copies;
  for (const host::Param& p : session_.world.params()) {
    if (p.is_buffer()) copies.push_back(p.tensor.detach().clone());
  }
  return copies;
}

void Updater::restore_buffers(const std::vector<at::Tensor>& copies) const {
  const at::NoGradGuard no_grad;
  auto copy = copies.begin();
  for (host::Param& p : session_.world.params()) {
    if (p.is_buffer()) p.tensor.copy_(*copy++);
  }
}

at::Tensor Updater::backward(const data::FeedStep& step, uint64_t update) {
  hob_pass& pass = session_.world.pass();
  pass.update = update;
  const auto& terms = forward_.terms();
  std::vector<double> factors(terms.size(), 0.0);
  bool any = false;
  for (size_t t = 0; t < terms.size(); ++t) {
    const double weight = step.window.weights()[t];
    if (weight > 0) factors[t] = terms[t].coefficient / weight;
    any = any || factors[t] != 0;
  }
  at::Tensor total;
  if (!any) return total;
  for (size_t i = 0; i < step.batches.size(); ++i) {
    pass.micro = static_cast<uint32_t>(i);
    const data::Batch& batch = step.batches[i];
    const session::Outputs outputs = forward_.run(batch, /*training=*/true);
    const std::vector<at::Tensor> sums = forward_.sums(outputs, batch);
    at::Tensor loss;  // () : this micro-batch's share of the update's loss
    for (size_t t = 0; t < terms.size(); ++t) {
      if (factors[t] == 0) continue;
      const at::Tensor share = sums[t] * factors[t];
      loss = loss.defined() ? loss + share : share;
    }
    loss.backward();
    const at::Tensor value = loss.detach();
    total = total.defined() ? total + value : value;
  }
  return total;
}

at::Tensor Updater::clip(const std::vector<at::Tensor>& gradients, double max_norm) const {
  if (gradients.empty()) return at::zeros({});
  const at::Tensor norm = at::linalg_vector_norm(at::stack(at::_foreach_norm(gradients)));
  if (std::isfinite(max_norm)) {
    const at::Tensor factor = at::clamp(max_norm / (norm + 1e-6), std::nullopt, 1.0);
    at::_foreach_mul_(gradients, factor);
  }
  return norm;
}

}  // namespace hob::train
