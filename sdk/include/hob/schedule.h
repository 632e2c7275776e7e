#pragma once

#include <hob/abi/schedule.h>
#include <hob/plugin.h>

namespace hob {

// Base of schedules: a pure factor on a hyper-parameter's base value.
template <class Config>
class Schedule : public Component<Config> {
 public:
  static constexpr std::string_view kKind = "schedule";
  static constexpr std::string_view kInterface = HOB_SCHEDULE_INTERFACE;

  // The factor for the update that follows `update` completed ones, 0 <= update <= total, warm-up
  // not counted. hyper is "lr" or "weight_decay". The same arguments give the same factor. [any]
  virtual double factor(std::string_view hyper, uint64_t update, uint64_t total) const = 0;

  template <class T>
  static hob_schedule make_table() {
    return {detail::component_table<T>(sizeof(hob_schedule)),
            [](void* self, const char* hyper, uint64_t update, uint64_t total, double* out) {
              return detail::guard(
                  [&] { *out = static_cast<const T*>(self)->factor(hyper, update, total); });
            }};
  }
};

}  // namespace hob
