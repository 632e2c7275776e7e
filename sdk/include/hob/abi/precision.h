/* Generated from sdk/spec.toml by sdk/tools/generate_abi.py: edit the spec. */
/* Kind precision: in which types parameters are stored and layers compute. */
/* Interface "hob.precision/1", draft. */
#ifndef HOB_ABI_PRECISION_H
#define HOB_ABI_PRECISION_H

#include <stddef.h>
#include <stdint.h>
#include "entry.h"

#ifdef __cplusplus
extern "C" {
#endif

#define HOB_PRECISION_INTERFACE "hob.precision/1"

typedef struct hob_precision_plan hob_precision_plan;
/* What the host sets up. */
struct hob_precision_plan {
  uint32_t struct_size;
  int32_t parameter_dtype; /* hob_dtype of trainable parameters */
  int32_t autocast_dtype; /* hob_dtype that forward computes in where it is safe; -1: no autocast */
  int32_t allow_tf32; /* 1: float32 matrix products may use TF32 on a GPU */
};

typedef struct hob_precision hob_precision;
/* hob.precision/1 */
struct hob_precision {
  hob_component_table component;
  /* [load] struct_size is set by the host; the defaults are float32, -1, 0. */
  hob_error* (*plan)(void* self, hob_precision_plan* out);
};

#ifdef __cplusplus
}
#endif

#endif
