/* Generated from sdk/spec.toml by sdk/tools/generate_abi.py: edit the spec. */
/* Gradient recording, and functions with their own backward. */
/* Interface "hob.autograd/1", draft. */
#ifndef HOB_ABI_AUTOGRAD_H
#define HOB_ABI_AUTOGRAD_H

#include <stddef.h>
#include <stdint.h>
#include "types.h"

#ifdef __cplusplus
extern "C" {
#endif

#define HOB_AUTOGRAD_INTERFACE "hob.autograd/1"

/* What a function's forward keeps for its backward. */
typedef struct hob_saved hob_saved;

typedef struct hob_function hob_function;
/* A differentiable function. */
struct hob_function {
  uint32_t struct_size;
  uint32_t n_inputs; /* at most 64; an input may be NULL */
  uint32_t n_outputs;
  uint32_t reserved; /* 0 */
  const char* name; /* shown in errors and profiles */
  /* [any] Without gradient recording. Outputs are new references. */
  hob_error* (*forward)(void* user, hob_saved* saved, hob_tensor* const* inputs, hob_tensor**
      outputs);
  /* [backward] A grad_output may be NULL (zero). Bit i of needed: the gradient of input i is
   * wanted; others stay NULL. Outputs are new references. */
  hob_error* (*backward)(void* user, hob_saved* saved, hob_tensor* const* grad_outputs, uint64_t
      needed, hob_tensor** grad_inputs);
  /* [any] Called once when neither forward nor backward can come again; may be NULL. */
  void (*drop)(void* user);
};

typedef struct hob_autograd hob_autograd;
/* hob.autograd/1 */
struct hob_autograd {
  uint32_t struct_size;
  uint32_t reserved; /* 0 */
  /* [any] Sets gradient recording of this thread; returns what it was. */
  int32_t (*grad_mode)(int32_t on);
  /* [any] Runs it; function stays valid until drop. Outputs are new references. */
  hob_error* (*apply)(const hob_function* function, void* user, hob_tensor* const* inputs,
      hob_tensor** outputs);
  /* [any] In forward, once. */
  hob_error* (*save)(hob_saved* saved, hob_tensor* const* tensors, uint32_t count);
  /* [backward] In backward; new reference. */
  hob_error* (*saved)(hob_saved* saved, uint32_t index, hob_tensor** out);
};

#ifdef __cplusplus
}
#endif

#endif
