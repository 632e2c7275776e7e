#pragma once

#include <hob/native/torch.h>

#include <c10/util/Exception.h>

#include <cstring>
#include <string>

namespace hob::native {

// LibTorch's error as the host's: its own text without a backtrace. Memory that ran out keeps its
// code, so that the host can try again with less; LibTorch's CPU allocator tells it by text only.
inline hob_error* error_of(const c10::Error& error) noexcept {
  const char* text = error.what_without_backtrace();
  const bool memory = dynamic_cast<const c10::OutOfMemoryError*>(&error) != nullptr ||
                      std::strstr(text, "DefaultCPUAllocator") != nullptr;
  return detail::error_of(text, memory ? HOB_ERROR_OUT_OF_MEMORY : HOB_ERROR_FAILED);
}

// detail::guard for functions that call LibTorch.
template <class Function>
hob_error* guard(Function&& function) noexcept {
  return detail::guard([&] {
    try {
      function();
    } catch (const c10::Error& error) {
      throw Error(error_of(error));
    }
  });
}

// Raises what went wrong in a layer.
[[noreturn, gnu::cold]] inline void raise_in(const char* layer, hob_error* error) {
  core().error_where(error, ("layer '" + std::string(layer) + "'").c_str());
  throw Error(error);
}

}  // namespace hob::native
