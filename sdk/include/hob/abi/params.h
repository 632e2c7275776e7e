/* Generated from sdk/spec.toml by sdk/tools/generate_abi.py: edit the spec. */
/* The parameters and buffers of the run's model. */
/* Interface "hob.params/1", draft. */
#ifndef HOB_ABI_PARAMS_H
#define HOB_ABI_PARAMS_H

#include <stddef.h>
#include <stdint.h>
#include "types.h"

#ifdef __cplusplus
extern "C" {
#endif

#define HOB_PARAMS_INTERFACE "hob.params/1"

/* What a parameter is for; patterns such as "role:norm" select by it. */
enum hob_role {
  HOB_ROLE_WEIGHT = 0,
  HOB_ROLE_BIAS = 1,
  HOB_ROLE_NORM = 2,
  HOB_ROLE_EMBEDDING = 3,
  HOB_ROLE_HEAD = 4,
  HOB_ROLE_ADAPTER = 5,
};

/* Bits of hob_param.flags. */
enum hob_param_flag {
  HOB_PARAM_TRAINABLE = 1, /* receives a gradient */
  HOB_PARAM_BUFFER = 2, /* state that forward changes; saved, never stepped */
  HOB_PARAM_REPLACED = 4, /* stored by a component in other parts; value is NULL */
  HOB_PARAM_EPHEMERAL = 8, /* not saved */
};

typedef struct hob_param hob_param;
/* A parameter is a cell of the host's: its address is stable, the tensor in it is not. */
struct hob_param {
  uint32_t struct_size;
  uint32_t flags; /* hob_param_flag */
  /* Raised when the tensor is another, or its shape or type changed; never by a step in place. */
  uint64_t generation;
  hob_tensor* value; /* Borrowed; read it at every use. NULL while replaced. */
  const char* name; /* In the saved file: fixed by the model. */
  uint32_t role; /* hob_role */
  uint32_t reserved; /* 0 */
};

typedef struct hob_params hob_params;
/* hob.params/1 */
struct hob_params {
  uint32_t struct_size;
  uint32_t reserved; /* 0 */
  /* [load] Registers a parameter or buffer with its first value (moved to the run's device). The
   * name must be new. */
  hob_error* (*add)(hob_env* env, const char* name, hob_tensor* value, uint32_t role, uint32_t
      flags, hob_param** out);
  /* [load] Ties a second name to the same cell; it is saved once. */
  hob_error* (*alias)(hob_env* env, hob_param* param, const char* second_name);
  /* [load] */
  hob_error* (*set_trainable)(hob_param* param, int32_t on);
  /* [main] Another tensor for the cell, between updates; raises generation, and its optimizer
   * state starts anew if the shape changed. */
  hob_error* (*assign)(hob_param* param, hob_tensor* value);
  /* [any] New reference, or NULL where there is none. */
  hob_error* (*grad)(hob_param* param, hob_tensor** out);
  /* [any] The cells whose name (or "role:...") matches; returns how many there are, writes at most
   * capacity. */
  uint32_t (*find)(hob_env* env, const char* pattern, hob_param** out, uint32_t capacity);
};

#ifdef __cplusplus
}
#endif

#endif
