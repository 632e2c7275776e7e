/* Generated from sdk/spec.toml by sdk/tools/generate_abi.py: edit the spec. */
/* Kind monitor: reads events. Its errors are logged once and never stop the run. */
/* Interface "hob.monitor/1", draft. */
#ifndef HOB_ABI_MONITOR_H
#define HOB_ABI_MONITOR_H

#include <stddef.h>
#include <stdint.h>
#include "events.h"

#ifdef __cplusplus
extern "C" {
#endif

#define HOB_MONITOR_INTERFACE "hob.monitor/1"

typedef struct hob_monitor hob_monitor;
/* hob.monitor/1 */
struct hob_monitor {
  hob_component_table component;
  /* [load] */
  hob_error* (*interest)(void* self, hob_interest* out);
  /* [main] */
  hob_error* (*on_event)(void* self, const hob_event* event);
};

#ifdef __cplusplus
}
#endif

#endif
