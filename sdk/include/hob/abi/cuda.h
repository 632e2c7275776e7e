/* Generated from sdk/spec.toml by sdk/tools/generate_abi.py: edit the spec. */
/* What a CUDA kernel of a plugin needs: the stream to run on, and device pointers. */
/* Interface "hob.cuda/1", draft. */
#ifndef HOB_ABI_CUDA_H
#define HOB_ABI_CUDA_H

#include <stddef.h>
#include <stdint.h>
#include "types.h"

#ifdef __cplusplus
extern "C" {
#endif

#define HOB_CUDA_INTERFACE "hob.cuda/1"

typedef struct hob_cuda hob_cuda;
/* hob.cuda/1 */
struct hob_cuda {
  uint32_t struct_size;
  uint32_t reserved; /* 0 */
  /* [any] The index of the CUDA device that holds it; -1 for another kind of device. */
  int32_t (*device_of)(const hob_tensor* tensor);
  /* [any] The current cudaStream_t of that device: kernels run on it, so that they stay in order
   * with LibTorch's. */
  hob_error* (*stream)(int32_t device, void** out);
  /* [any] The address of the first element; the tensor must be contiguous. Valid while a reference
   * is held. */
  hob_error* (*data)(const hob_tensor* tensor, void** out);
};

#ifdef __cplusplus
}
#endif

#endif
