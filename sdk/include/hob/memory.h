#pragma once

#include <hob/abi/memory.h>
#include <hob/abi/segments.h>
#include <hob/plugin.h>

#include <vector>

namespace hob {

HOB_HOST_TABLE(segments_table, hob_segments, "hob.segments/1")

// The outermost segments that match a pattern. [load]
inline std::vector<hob_segment*> find_segments(hob_env* env, const char* pattern) {
  std::vector<hob_segment*> result(segments_table().find(env, pattern, nullptr, 0));
  segments_table().find(env, pattern, result.data(), static_cast<uint32_t>(result.size()));
  return result;
}

inline void set_mode(hob_env* env, hob_segment* segment, uint32_t mode) {
  check(segments_table().set_mode(env, segment, mode));
}

// Base of memory strategies: say of each segment how it runs.
template <class Config>
class Memory : public Component<Config> {
 public:
  static constexpr std::string_view kKind = "memory";
  static constexpr std::string_view kInterface = HOB_MEMORY_INTERFACE;

  virtual void attach() = 0;  // the model stands [load]

  template <class T>
  static hob_memory make_table() {
    return {detail::component_table<T>(sizeof(hob_memory)),
            [](void* self) { return detail::guard([&] { static_cast<T*>(self)->attach(); }); }};
  }
};

}  // namespace hob
