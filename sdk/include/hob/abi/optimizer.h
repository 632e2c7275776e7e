/* Generated from sdk/spec.toml by sdk/tools/generate_abi.py: edit the spec. */
/* Kind optimizer: steps groups of parameters. State is the host's, by parameter name. */
/* Interface "hob.optimizer/1", frozen. */
#ifndef HOB_ABI_OPTIMIZER_H
#define HOB_ABI_OPTIMIZER_H

#include <stddef.h>
#include <stdint.h>
#include "entry.h"

#ifdef __cplusplus
extern "C" {
#endif

#define HOB_OPTIMIZER_INTERFACE "hob.optimizer/1"

/* The host's side of a group. */
typedef struct hob_group_host hob_group_host;

/* How a state tensor begins. */
enum hob_state_init {
  HOB_STATE_ZEROS = 0, /* zeros like the parameter */
  HOB_STATE_COUNT = 1, /* one float32 zero on the parameter's device */
};

typedef struct hob_group hob_group;
/* The parameters of one group that have a gradient in this update. Gradients are unscaled, clipped
 * and ready. */
struct hob_group {
  uint32_t struct_size;
  uint32_t index; /* 0 .. n_groups - 1, the same in every update */
  /* Raised when params holds other tensors than before, or their shapes or types changed. grads
   * are new in every update. */
  uint64_t generation;
  uint64_t step; /* Updates of this group that were completed before this one. */
  hob_list* params; /* Borrowed. */
  hob_list* grads; /* Borrowed; aligned with params. */
  double lr; /* Already multiplied by the schedule's factor. */
  double weight_decay;
  /* The component's parameters for this group: the recipe's [[optimizer.group]] may override them. */
  const hob_config* config;
  /* float32, one element, 1 where the step must be skipped; NULL when it is not. Only given to
   * optimizers with the trait skip_flag. */
  hob_tensor* skip;
  /* [main] The state of that name, one tensor for each parameter, aligned with params; made where
   * it does not exist. Borrowed until step returns. The host saves and restores it. */
  hob_error* (*state)(struct hob_group* group, const char* name, uint32_t init, hob_list** out);
  hob_group_host* host;
};

typedef struct hob_optimizer hob_optimizer;
/* hob.optimizer/1. Traits in the descriptor: weight_decay (applies it), skip_flag (honours skip). */
struct hob_optimizer {
  hob_component_table component;
  /* [main] One update, in place, without gradient recording. Groups without a gradient are left
   * out. */
  hob_error* (*step)(void* self, hob_group* const* groups, uint32_t n_groups);
};

#ifdef __cplusplus
}
#endif

#endif
