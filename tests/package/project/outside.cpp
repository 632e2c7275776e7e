#include <hob/abi/entry.h>

#include <vector>

// Must not be exported: neither the default visibility nor the unique symbol of the inline variable.
__attribute__((visibility("default"))) int outside_helper() { return 1; }
template <class T>
inline std::vector<T> shared_by_all{T{}};

extern "C" hob_error* hob_plugin_main(const hob_host*, const hob_plugin** plugin) {
  static const hob_plugin nothing = {sizeof(hob_plugin), 0, nullptr};
  if (!shared_by_all<int>.empty() && outside_helper() == 1) *plugin = &nothing;
  return nullptr;
}
