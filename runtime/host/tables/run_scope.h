#pragma once

#include "host/tables/guard.h"
#include "host/tables/instance.h"

namespace hob::host {

// The run that a plugin's call belongs to.
inline World& world_of(const hob_env* env) {
  if (!env || !env->world) {
    throw PluginError(HOB_ERROR_UNSUPPORTED, "there is no run, and no model, that this belongs to");
  }
  return *env->world;
}

// What a plugin must give.
template <class T>
T& required(T* pointer, const char* what) {
  if (!pointer) refuse(std::string(what) + " is NULL");
  return *pointer;
}

// Writes as many results of a search as there is room for, and returns how many there are. A search
// that cannot be done, as without a run, finds nothing.
template <class Found, class Search>
uint32_t write_found(Search&& search, Found** out, uint32_t capacity) noexcept {
  uint32_t count = 0;
  free_error(guard([&] {
    for (auto* found : search()) {
      if (count < capacity) out[count] = found;
      ++count;
    }
  }));
  return count;
}

}  // namespace hob::host
