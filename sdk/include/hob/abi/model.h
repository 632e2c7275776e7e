/* Generated from sdk/spec.toml by sdk/tools/generate_abi.py: edit the spec. */
/* Kind model: parameters, sockets and segments are registered in create; forward maps named
 * tensors to named tensors. */
/* Interface "hob.model/1", draft. */
#ifndef HOB_ABI_MODEL_H
#define HOB_ABI_MODEL_H

#include <stddef.h>
#include <stdint.h>
#include "entry.h"

#ifdef __cplusplus
extern "C" {
#endif

#define HOB_MODEL_INTERFACE "hob.model/1"

typedef struct hob_model hob_model;
/* hob.model/1 */
struct hob_model {
  hob_component_table component;
  /* [load] Names of the batch's fields that forward wants; they live as long as the instance. */
  hob_error* (*inputs)(void* self, const char** out, uint32_t capacity, uint32_t* count);
  /* [main] inputs hold the whole batch, borrowed. outputs are new references with names that live
   * as long as the instance. */
  hob_error* (*forward)(void* self, const hob_named_tensor* inputs, uint32_t n_inputs,
      hob_named_tensor* outputs, uint32_t capacity, uint32_t* count);
};

#ifdef __cplusplus
}
#endif

#endif
