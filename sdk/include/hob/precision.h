#pragma once

#include <hob/abi/precision.h>
#include <hob/plugin.h>

namespace hob {

// Base of precision strategies: which types parameters are stored and layers computed in.
template <class Config>
class Precision : public Component<Config> {
 public:
  static constexpr std::string_view kKind = "precision";
  static constexpr std::string_view kInterface = HOB_PRECISION_INTERFACE;

  // Changes what differs from float32 throughout. [load]
  virtual void plan(hob_precision_plan& plan) const = 0;

  template <class T>
  static hob_precision make_table() {
    return {detail::component_table<T>(sizeof(hob_precision)),
            [](void* self, hob_precision_plan* out) {
              return detail::guard([&] { static_cast<const T*>(self)->plan(*out); });
            }};
  }
};

}  // namespace hob
