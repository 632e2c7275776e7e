#pragma once

#include <hob/abi/compression.h>
#include <hob/ops.h>
#include <hob/plugin.h>
#include <hob/sockets.h>

namespace hob {

// Base of compressions: act through sockets and parameters.
template <class Config>
class Compression : public Component<Config> {
 public:
  static constexpr std::string_view kKind = "compression";
  static constexpr std::string_view kInterface = HOB_COMPRESSION_INTERFACE;

  virtual void attach() = 0;    // the model stands, its weights are loaded [load]
  virtual void finalize() = 0;  // fold what was learnt into the model's parameters [main]

  template <class T>
  static hob_compression make_table() {
    return {detail::component_table<T>(sizeof(hob_compression)),
            [](void* self) { return detail::guard([&] { static_cast<T*>(self)->attach(); }); },
            [](void* self) { return detail::guard([&] { static_cast<T*>(self)->finalize(); }); }};
  }
};

}  // namespace hob
