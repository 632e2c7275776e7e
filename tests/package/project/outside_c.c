#include <hob/abi/entry.h>

int outside_helper_c(void);
int outside_helper_c(void) { return 1; }

hob_error* hob_plugin_main(const hob_host* host, const hob_plugin** plugin) {
  static const hob_plugin nothing = {sizeof(hob_plugin), 0, NULL};
  (void)host;
  if (outside_helper_c() == 1) *plugin = &nothing;
  return NULL;
}
