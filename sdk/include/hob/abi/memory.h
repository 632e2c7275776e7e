/* Generated from sdk/spec.toml by sdk/tools/generate_abi.py: edit the spec. */
/* Kind memory: says of each segment how it runs. */
/* Interface "hob.memory/1", draft. */
#ifndef HOB_ABI_MEMORY_H
#define HOB_ABI_MEMORY_H

#include <stddef.h>
#include <stdint.h>
#include "entry.h"

#ifdef __cplusplus
extern "C" {
#endif

#define HOB_MEMORY_INTERFACE "hob.memory/1"

typedef struct hob_memory hob_memory;
/* hob.memory/1 */
struct hob_memory {
  hob_component_table component;
  /* [load] The model stands; segments may be found and their modes set. */
  hob_error* (*attach)(void* self);
};

#ifdef __cplusplus
}
#endif

#endif
