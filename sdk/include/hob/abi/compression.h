/* Generated from sdk/spec.toml by sdk/tools/generate_abi.py: edit the spec. */
/* Kind compression: acts through sockets and parameters; folds itself into the exported model. */
/* Interface "hob.compression/1", draft. */
#ifndef HOB_ABI_COMPRESSION_H
#define HOB_ABI_COMPRESSION_H

#include <stddef.h>
#include <stdint.h>
#include "entry.h"

#ifdef __cplusplus
extern "C" {
#endif

#define HOB_COMPRESSION_INTERFACE "hob.compression/1"

typedef struct hob_compression hob_compression;
/* hob.compression/1 */
struct hob_compression {
  hob_component_table component;
  /* [load] The model stands and its weights are loaded; sockets and parameters may be found and
   * changed. */
  hob_error* (*attach)(void* self);
  /* [main] Folds what was learnt into the model's own parameters, for export; no training follows. */
  hob_error* (*finalize)(void* self);
};

#ifdef __cplusplus
}
#endif

#endif
