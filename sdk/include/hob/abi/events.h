/* Generated from sdk/spec.toml by sdk/tools/generate_abi.py: edit the spec. */
/* The events of the loop, for callbacks and monitors: what happens in the loop, in this order:
 * RUN_BEGIN, then per epoch EPOCH_BEGIN, per update UPDATE_END (after the optimizer's step, once
 * whatever the number of micro-batches), EVAL_BEGIN and EVAL_END where the recipe asks for an
 * evaluation, EPOCH_END, and RUN_END; around an export EXPORT_BEGIN and EXPORT_END. A resumed run
 * begins with RUN_BEGIN too, with update > 0. Callbacks may change parameters in UPDATE_END, and
 * may put others in place from EVAL_BEGIN to EVAL_END and from EXPORT_BEGIN to EXPORT_END.
 * Monitors change nothing. Callbacks come before monitors, each in the recipe's order; *_END
 * events in the reverse order for callbacks. */
#ifndef HOB_ABI_EVENTS_H
#define HOB_ABI_EVENTS_H

#include <stddef.h>
#include <stdint.h>
#include "entry.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Bits, so that an instance can say which it wants. */
enum hob_event_kind {
  HOB_EVENT_RUN_BEGIN = 1,
  HOB_EVENT_EPOCH_BEGIN = 2,
  HOB_EVENT_UPDATE_END = 4,
  HOB_EVENT_EVAL_BEGIN = 8,
  HOB_EVENT_EVAL_END = 16, /* scalars hold the results */
  HOB_EVENT_EPOCH_END = 32,
  HOB_EVENT_RUN_END = 64,
  HOB_EVENT_EXPORT_BEGIN = 128,
  HOB_EVENT_EXPORT_END = 256,
};

typedef struct hob_scalar hob_scalar;
/* A named number. Fixed for ever: it never grows. */
struct hob_scalar {
  const char* name; /* "loss", "lr", "grad_norm", "accuracy" */
  double value;
};

typedef struct hob_event hob_event;
/* Borrowed for the call; read only. */
struct hob_event {
  uint32_t struct_size;
  uint32_t kind; /* one hob_event_kind */
  uint64_t update; /* completed updates */
  uint64_t total_updates; /* of the whole run; UINT64_MAX where only time limits it */
  uint64_t epoch; /* completed epochs */
  uint64_t total_epochs; /* of the whole run, rounded up */
  uint64_t samples; /* seen in training since the run's first update */
  double elapsed_s; /* wall time of this process since RUN_BEGIN */
  /* In UPDATE_END: only at updates where an instance's period asked for them, for reading them
   * waits for the device. */
  const hob_scalar* scalars;
  uint32_t n_scalars;
  uint32_t reserved; /* 0 */
  const char* run_name;
  const char* run_dir; /* absolute; the run's folder, where monitors write their files */
};

typedef struct hob_interest hob_interest;
/* Which events an instance wants. */
struct hob_interest {
  uint32_t struct_size;
  uint32_t events; /* hob_event_kind bits; 0 by default */
  /* UPDATE_END comes at every so many updates, with scalars if wanted; 1 by default */
  uint64_t period;
  uint32_t wants_scalars; /* 1: scalars of UPDATE_END are read for this instance */
  uint32_t reserved; /* 0 */
};

#ifdef __cplusplus
}
#endif

#endif
