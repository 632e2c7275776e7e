#include "train/delayed_scalar.h"

#include <ATen/ops/empty.h>
#include <c10/core/impl/VirtualGuardImpl.h>

namespace hob::train {

void DelayedScalar::set(const at::Tensor& value) {
  copied_.reset();
  if (value.is_cpu()) {
    host_ = value;
    return;
  }
  host_ = at::empty(value.sizes(), value.options().device(at::kCPU).pinned_memory(true));
  host_.copy_(value, /*non_blocking=*/true);
  const c10::impl::VirtualGuardImpl guard(value.device().type());
  copied_.emplace(value.device().type());
  copied_->record(guard.getStream(value.device()));
}

std::optional<double> DelayedScalar::take() {
  if (!host_.defined()) return std::nullopt;
  if (copied_) copied_->synchronize();  // sync: of the update before, which is done by now
  const double value = host_.item<double>();
  host_.reset();
  copied_.reset();
  return value;
}

}  // namespace hob::train
