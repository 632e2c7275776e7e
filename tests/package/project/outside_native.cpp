#include <hob/abi/entry.h>

#include <ATen/core/TensorBase.h>

extern "C" hob_error* hob_plugin_main(const hob_host*, const hob_plugin** plugin) {
  static const hob_plugin nothing = {sizeof(hob_plugin), 0, nullptr};
  if (at::TensorBase().toString() != "float") *plugin = &nothing;
  return nullptr;
}
