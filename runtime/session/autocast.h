#pragma once

#include <ATen/autocast_mode.h>

namespace hob::session {

// Autocast to a type while it lives, or none where the type is undefined. The cache of cast weights
// serves the layers of one forward that records gradients; it is off otherwise, for a copy made
// without recording and used with it would lose the weight's gradient. Cleared at the end.
class AutocastScope {
 public:
  AutocastScope(at::DeviceType device, at::ScalarType type, bool recording)
      : device_(device), on_(type != at::ScalarType::Undefined) {
    if (!on_) return;
    before_enabled_ = at::autocast::is_autocast_enabled(device_);
    before_type_ = at::autocast::get_autocast_dtype(device_);
    before_cache_ = at::autocast::is_autocast_cache_enabled();
    at::autocast::set_autocast_enabled(device_, true);
    at::autocast::set_autocast_dtype(device_, type);
    at::autocast::set_autocast_cache_enabled(recording);
    at::autocast::increment_nesting();
  }
  ~AutocastScope() {
    if (!on_) return;
    if (at::autocast::decrement_nesting() == 0) at::autocast::clear_cache();
    at::autocast::set_autocast_enabled(device_, before_enabled_);
    at::autocast::set_autocast_dtype(device_, before_type_);
    at::autocast::set_autocast_cache_enabled(before_cache_);
  }
  AutocastScope(const AutocastScope&) = delete;
  AutocastScope& operator=(const AutocastScope&) = delete;

 private:
  at::DeviceType device_;
  bool on_;
  bool before_enabled_ = false;
  at::ScalarType before_type_ = at::ScalarType::Undefined;
  bool before_cache_ = false;
};

}  // namespace hob::session
