/* Generated from sdk/spec.toml by sdk/tools/generate_abi.py: edit the spec. */
/* Kind callback: acts on events, where their order says so. */
/* Interface "hob.callback/1", draft. */
#ifndef HOB_ABI_CALLBACK_H
#define HOB_ABI_CALLBACK_H

#include <stddef.h>
#include <stdint.h>
#include "events.h"

#ifdef __cplusplus
extern "C" {
#endif

#define HOB_CALLBACK_INTERFACE "hob.callback/1"

typedef struct hob_callback hob_callback;
/* hob.callback/1 */
struct hob_callback {
  hob_component_table component;
  /* [load] The model stands, compressions and memory strategies are attached. */
  hob_error* (*attach)(void* self);
  /* [load] */
  hob_error* (*interest)(void* self, hob_interest* out);
  /* [main] */
  hob_error* (*on_event)(void* self, const hob_event* event);
};

#ifdef __cplusplus
}
#endif

#endif
