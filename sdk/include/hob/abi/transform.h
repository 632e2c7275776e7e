/* Generated from sdk/spec.toml by sdk/tools/generate_abi.py: edit the spec. */
/* Kind transform: changes one sample; the same for the same (seed, epoch, index). */
/* Interface "hob.transform/1", draft. */
#ifndef HOB_ABI_TRANSFORM_H
#define HOB_ABI_TRANSFORM_H

#include <stddef.h>
#include <stdint.h>
#include "dataset.h"

#ifdef __cplusplus
extern "C" {
#endif

#define HOB_TRANSFORM_INTERFACE "hob.transform/1"

typedef struct hob_sample hob_sample;
/* Which sample is at hand. Fixed for ever: it never grows. */
struct hob_sample {
  uint64_t seed; /* of the instance */
  uint64_t epoch; /* from 0 */
  uint64_t index; /* in the dataset */
};

typedef struct hob_transform hob_transform;
/* hob.transform/1 */
struct hob_transform {
  hob_component_table component;
  /* [load] The fields that apply writes, as many as in and with the same names. Called once,
   * before the run. */
  hob_error* (*plan)(void* self, const hob_field* in, uint32_t count, hob_field* out);
  /* [worker] in and out never overlap. */
  hob_error* (*apply)(void* self, const hob_sample* sample, const hob_view* in, const hob_view*
      out, uint32_t count);
};

#ifdef __cplusplus
}
#endif

#endif
