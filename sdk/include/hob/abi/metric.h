/* Generated from sdk/spec.toml by sdk/tools/generate_abi.py: edit the spec. */
/* Kind metric: sums that add up over batches of any size, and what is made of them at the end. */
/* Interface "hob.metric/1", draft. */
#ifndef HOB_ABI_METRIC_H
#define HOB_ABI_METRIC_H

#include <stddef.h>
#include <stdint.h>
#include "entry.h"

#ifdef __cplusplus
extern "C" {
#endif

#define HOB_METRIC_INTERFACE "hob.metric/1"

/* Which values are better. */
enum hob_direction {
  HOB_HIGHER_IS_BETTER = 0,
  HOB_LOWER_IS_BETTER = 1,
};

typedef struct hob_result hob_result;
/* One result of a metric. Fixed for ever: it never grows. */
struct hob_result {
  const char* name; /* "accuracy"; lives as long as the instance */
  uint32_t direction; /* hob_direction */
  uint32_t reserved; /* 0 */
};

typedef struct hob_metric hob_metric;
/* hob.metric/1 */
struct hob_metric {
  hob_component_table component;
  /* [load] At most capacity (16) results. */
  hob_error* (*results)(void* self, hob_result* out, uint32_t capacity, uint32_t* count);
  /* [main] A float64 vector whose sum over batches finish wants; new reference, on the device of
   * its inputs: no waiting. */
  hob_error* (*sums)(void* self, const hob_named_tensor* outputs, uint32_t n_outputs, const
      hob_named_tensor* batch, uint32_t n_batch, hob_tensor** out);
  /* [main] Each result from the sums over the whole dataset; n_sums is 0 where there was no batch. */
  hob_error* (*finish)(void* self, const double* sums, uint32_t n_sums, double* out);
};

#ifdef __cplusplus
}
#endif

#endif
