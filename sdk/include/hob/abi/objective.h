/* Generated from sdk/spec.toml by sdk/tools/generate_abi.py: edit the spec. */
/* Kind objective: the loss is the sum over terms of coefficient * sum / weight, exact under
 * accumulation. */
/* Interface "hob.objective/1", draft. */
#ifndef HOB_ABI_OBJECTIVE_H
#define HOB_ABI_OBJECTIVE_H

#include <stddef.h>
#include <stdint.h>
#include "dataset.h"

#ifdef __cplusplus
extern "C" {
#endif

#define HOB_OBJECTIVE_INTERFACE "hob.objective/1"

typedef struct hob_term hob_term;
/* One term. Fixed for ever: it never grows. */
struct hob_term {
  const char* name; /* lives as long as the instance */
  double coefficient;
};

typedef struct hob_named_view hob_named_view;
/* A field of a batch in host memory; the first dimension counts samples. Fixed for ever. */
struct hob_named_view {
  const char* name;
  hob_view view;
};

typedef struct hob_objective hob_objective;
/* hob.objective/1. Trait decomposable: a batch's sums are the sums of its samples'. */
struct hob_objective {
  hob_component_table component;
  /* [load] At most capacity (8) terms. */
  hob_error* (*terms)(void* self, hob_term* out, uint32_t capacity, uint32_t* count);
  /* [worker] The weight of each term in these samples, from the targets alone. */
  hob_error* (*weights)(void* self, const hob_named_view* batch, uint32_t count, double* out);
  /* [main] The sum of each term over these samples, one element each, differentiable; new
   * references. */
  hob_error* (*sums)(void* self, const hob_named_tensor* outputs, uint32_t n_outputs, const
      hob_named_tensor* batch, uint32_t n_batch, hob_tensor** out);
};

#ifdef __cplusplus
}
#endif

#endif
