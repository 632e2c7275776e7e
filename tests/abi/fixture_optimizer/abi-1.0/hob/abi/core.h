/* Generated from sdk/spec.toml by sdk/tools/generate_abi.py: edit the spec. */
/* Errors, logs, parameters of the recipe, state, and the lifetime and shape of tensors. */
/* Interface "hob.core/1", frozen. */
#ifndef HOB_ABI_CORE_H
#define HOB_ABI_CORE_H

#include <stddef.h>
#include <stdint.h>
#include "types.h"

#ifdef __cplusplus
extern "C" {
#endif

#define HOB_CORE_INTERFACE "hob.core/1"

typedef struct hob_core hob_core;
/* hob.core/1 */
struct hob_core {
  uint32_t struct_size;
  uint32_t reserved; /* 0 */
  /* [any] A new error with hob_error_code and text of size bytes (UTF-8, copied). */
  hob_error* (*error_new)(int32_t code, const char* text, size_t size);
  /* [any] */
  int32_t (*error_code)(const hob_error* error);
  /* [any] Lives as long as the error. */
  const char* (*error_text)(const hob_error* error);
  /* [any] Says once more precisely where it happened, for example a layer's name: the innermost
   * call wins. */
  void (*error_where)(hob_error* error, const char* place);
  /* [any] NULL is fine. */
  void (*error_free)(hob_error* error);
  /* [any] A line in the run's log: level 0 debug, 1 info, 2 warning, 3 error. */
  void (*log)(hob_env* env, int32_t level, const char* text, size_t size);
  /* [any] As the recipe names the instance, "callback.0"; lives as long as env. */
  const char* (*instance_name)(const hob_env* env);
  /* [any] Seed of the instance's own random numbers, made of the run's seed and the instance's
   * name. */
  uint64_t (*instance_seed)(const hob_env* env);
  /* [any] A parameter that the descriptor declares; borrowed from config. An unknown key is an
   * error. */
  hob_error* (*config_get)(const hob_config* config, const char* key, hob_value* out);
  /* [main] Writes one named tensor, list of tensors, number, string or array; a name may be
   * written once. */
  hob_error* (*write)(hob_writer* writer, const char* name, const hob_value* value);
  /* [main] Reads it again. Tensors and lists are new references; strings and arrays live as long
   * as the reader. An absent name gives HOB_VALUE_NONE. */
  hob_error* (*read)(hob_reader* reader, const char* name, hob_value* out);
  /* [any] A new reference to the same tensor. */
  hob_tensor* (*tensor_retain)(hob_tensor* tensor);
  /* [any] Gives a reference back; NULL is fine. */
  void (*tensor_release)(hob_tensor* tensor);
  /* [any] Number of dimensions. */
  int64_t (*tensor_dim)(const hob_tensor* tensor);
  /* [any] Elements along dim, 0 <= dim < tensor_dim; -1 outside of that. */
  int64_t (*tensor_size)(const hob_tensor* tensor, int64_t dim);
  /* [any] Number of elements. */
  int64_t (*tensor_numel)(const hob_tensor* tensor);
  /* [any] hob_dtype. */
  int32_t (*tensor_dtype)(const hob_tensor* tensor);
  /* [main] Copies the elements, row-major, to host memory of exactly that many bytes. Waits for
   * the device. */
  hob_error* (*tensor_read)(const hob_tensor* tensor, void* out, size_t bytes);
  /* [any] A new tensor on the CPU with a copy of row-major data; new reference. */
  hob_error* (*tensor_from)(const void* data, int32_t dtype, const int64_t* sizes, uint32_t dim,
      hob_tensor** out);
  /* [any] A list that holds its own references; new reference. */
  hob_error* (*list_new)(hob_tensor* const* tensors, uint32_t count, hob_list** out);
  /* [any] A new reference to the same list. */
  hob_list* (*list_retain)(hob_list* list);
  /* [any] NULL is fine. */
  void (*list_release)(hob_list* list);
  /* [any] */
  uint32_t (*list_size)(const hob_list* list);
  /* [any] New reference. */
  hob_error* (*list_get)(const hob_list* list, uint32_t index, hob_tensor** out);
};

#ifdef __cplusplus
}
#endif

#endif
