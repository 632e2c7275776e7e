/* Generated from sdk/spec.toml by sdk/tools/generate_abi.py: edit the spec. */
/* Blocks of a model that a memory strategy may run otherwise, and the pass that is going on. */
/* Interface "hob.segments/1", draft. */
#ifndef HOB_ABI_SEGMENTS_H
#define HOB_ABI_SEGMENTS_H

#include <stddef.h>
#include <stdint.h>
#include "types.h"

#ifdef __cplusplus
extern "C" {
#endif

#define HOB_SEGMENTS_INTERFACE "hob.segments/1"

/* How a segment runs. */
enum hob_segment_mode {
  HOB_SEGMENT_KEEP = 0, /* plainly */
  HOB_SEGMENT_RECOMPUTE = 1, /* saves its inputs only, and runs again in backward */
};

typedef struct hob_segment hob_segment;
/* One block. */
struct hob_segment {
  uint32_t struct_size;
  uint32_t mode; /* hob_segment_mode; the wrapper tests it inline */
  const char* name; /* dotted, "layer1.0" */
};

typedef struct hob_closure hob_closure;
/* The body of a segment. The host owns it from the call on, also on failure. */
struct hob_closure {
  uint32_t struct_size;
  uint32_t reserved; /* 0 */
  /* [any] What needs a gradient is an input or a parameter. Outputs are new references. */
  hob_error* (*call)(void* user, hob_tensor* const* inputs, uint32_t n_inputs, hob_tensor**
      outputs, uint32_t n_outputs);
  void* user;
  /* [any] Called once at the end. */
  void (*drop)(void* user);
};

typedef struct hob_pass hob_pass;
/* The pass through the model that is going on. Stable address; the host rewrites it. */
struct hob_pass {
  uint32_t struct_size;
  uint32_t training; /* 1 in training, 0 in evaluation */
  /* 1 while a segment runs again: state that forward changes must be left alone */
  uint32_t recompute;
  uint32_t micro; /* micro-batch within the update, from 0 */
  uint64_t update; /* completed updates */
};

typedef struct hob_segments hob_segments;
/* hob.segments/1 */
struct hob_segments {
  uint32_t struct_size;
  uint32_t reserved; /* 0 */
  /* [load] A model registers a block; names nest by dots. */
  hob_error* (*add)(hob_env* env, const char* name, hob_segment** out);
  /* [load] The outermost segments that match; returns how many there are. */
  uint32_t (*find)(hob_env* env, const char* pattern, hob_segment** out, uint32_t capacity);
  /* [load] Two components that set different modes are an error that names both. */
  hob_error* (*set_mode)(hob_env* env, hob_segment* segment, uint32_t mode);
  /* [main] Runs the body as the mode says. Outputs are new references. */
  hob_error* (*run)(hob_env* env, hob_segment* segment, const hob_closure* closure, hob_tensor*
      const* inputs, uint32_t n_inputs, hob_tensor** outputs, uint32_t n_outputs);
  /* [load] Valid as long as env. */
  const hob_pass* (*pass)(hob_env* env);
};

#ifdef __cplusplus
}
#endif

#endif
