#pragma once

#include <ATen/core/Tensor.h>

#include <optional>

#include "data/torch/feed.h"
#include "session/forward.h"
#include "session/session.h"

namespace hob::train {

// What an update was like; tensors are on the device, not waited for.
struct UpdateResult {
  at::Tensor loss;                      // one element: the update's loss
  std::optional<at::Tensor> grad_norm;  // before clipping; where it was measured
  bool skipped = false;                 // no parameter was changed
};

// The hyper-parameters' factors of one update.
struct Factors {
  double lr = 1;
  double weight_decay = 1;
};

// One update of the parameters: forward and backward of each micro-batch, clipping, the optimizer's
// step. The gradient is that of the whole window, however it is cut. Main thread.
class Updater {
 public:
  Updater(session::Session& session, session::Forward& forward);

  // `measure` asks for the gradients' norm even where nothing is clipped.
  UpdateResult run(const data::FeedStep& step, uint64_t update, const Factors& factors,
                   bool measure);

 private:
  std::vector<at::Tensor> copy_buffers() const;
  void restore_buffers(const std::vector<at::Tensor>& copies) const;
  at::Tensor backward(const data::FeedStep& step, uint64_t update);
  // The total L2 norm, as torch.nn.utils.clip_grad_norm_ measures and clips it.
  at::Tensor clip(const std::vector<at::Tensor>& gradients, double max_norm) const;

  session::Session& session_;
  session::Forward& forward_;
};

}  // namespace hob::train
