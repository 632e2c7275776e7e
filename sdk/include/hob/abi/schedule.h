/* Generated from sdk/spec.toml by sdk/tools/generate_abi.py: edit the spec. */
/* Kind schedule: a pure factor for each hyper-parameter. Warm-up and horizon are the host's. */
/* Interface "hob.schedule/1", draft. */
#ifndef HOB_ABI_SCHEDULE_H
#define HOB_ABI_SCHEDULE_H

#include <stddef.h>
#include <stdint.h>
#include "entry.h"

#ifdef __cplusplus
extern "C" {
#endif

#define HOB_SCHEDULE_INTERFACE "hob.schedule/1"

typedef struct hob_schedule hob_schedule;
/* hob.schedule/1 */
struct hob_schedule {
  hob_component_table component;
  /* [any] The factor on hyper ("lr") for the update that follows `update` completed ones, 0 <=
   * update <= total, both counted after warm-up. Pure: the same arguments give the same factor.
   * Finite and not negative. */
  hob_error* (*factor)(void* self, const char* hyper, uint64_t update, uint64_t total, double*
      out);
};

#ifdef __cplusplus
}
#endif

#endif
