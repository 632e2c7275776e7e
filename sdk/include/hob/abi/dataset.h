/* Generated from sdk/spec.toml by sdk/tools/generate_abi.py: edit the spec. */
/* Kind dataset: samples by index, written into memory of the host. All functions may run on
 * several workers at once. */
/* Interface "hob.dataset/1", draft. */
#ifndef HOB_ABI_DATASET_H
#define HOB_ABI_DATASET_H

#include <stddef.h>
#include <stdint.h>
#include "entry.h"

#ifdef __cplusplus
extern "C" {
#endif

#define HOB_DATASET_INTERFACE "hob.dataset/1"

typedef struct hob_field hob_field;
/* One named array of a sample. Fixed for ever: it never grows. */
struct hob_field {
  const char* name; /* "image", "label"; lives as long as the instance */
  uint32_t dtype; /* hob_dtype */
  uint32_t rank; /* 0 .. 8 */
  int64_t shape[8]; /* of one sample; images are (channels, height, width) */
  /* labels are 0 .. classes - 1, checked by the loader; 0 for what is not a class label */
  int64_t classes;
};

typedef struct hob_view hob_view;
/* Memory of the host; borrowed for the call. Fixed for ever: it never grows. */
struct hob_view {
  void* data;
  uint32_t dtype; /* hob_dtype */
  uint32_t rank;
  int64_t shape[8];
  int64_t stride[8]; /* in elements */
};

typedef struct hob_dataset hob_dataset;
/* hob.dataset/1 */
struct hob_dataset {
  hob_component_table component;
  /* [load] Number of samples. */
  hob_error* (*size)(void* self, uint64_t* out);
  /* [load] What a sample consists of; at most capacity (16). */
  hob_error* (*fields)(void* self, hob_field* out, uint32_t capacity, uint32_t* count);
  /* [worker] Writes sample index, its fields in order. A sample that cannot be read is
   * HOB_ERROR_DATA and names its file. */
  hob_error* (*read)(void* self, uint64_t index, const hob_view* out, uint32_t count);
};

#ifdef __cplusplus
}
#endif

#endif
