/* Generated from sdk/spec.toml by sdk/tools/generate_abi.py: edit the spec. */
/* LibTorch's operators by name, through its dispatcher: autograd, autocast and devices apply. */
/* Interface "hob.ops/1", frozen. */
#ifndef HOB_ABI_OPS_H
#define HOB_ABI_OPS_H

#include <stddef.h>
#include <stdint.h>
#include "types.h"

#ifdef __cplusplus
extern "C" {
#endif

#define HOB_OPS_INTERFACE "hob.ops/1"

typedef struct hob_ops hob_ops;
/* hob.ops/1 */
struct hob_ops {
  uint32_t struct_size;
  uint32_t reserved; /* 0 */
  /* [any] For example "aten::add", "Tensor". Look up once and keep it. */
  hob_error* (*find)(const char* name, const char* overload, hob_op** out);
  /* [any] Arguments in the schema's order; those left out at the end take the schema's defaults.
   * The first n_results results are returned: tensors and lists as new references. The text of an
   * error is LibTorch's own. */
  hob_error* (*call)(hob_op* op, const hob_value* args, uint32_t n_args, hob_value* results,
      uint32_t n_results);
};

#ifdef __cplusplus
}
#endif

#endif
