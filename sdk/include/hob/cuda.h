#pragma once

#include <hob/abi/cuda.h>
#include <hob/tensor.h>

// What a plugin with CUDA kernels of its own needs: where a tensor lies, and the stream to run on.

namespace hob {

HOB_HOST_TABLE(cuda, hob_cuda, "hob.cuda/1")

// The index of the CUDA device that holds the tensor; -1 where it lies elsewhere.
inline int32_t cuda_device_of(TensorRef tensor) {
  return cuda().device_of(tensor.handle());
}

// The current cudaStream_t of the device. Kernels run on it, in order with LibTorch's.
inline void* cuda_stream(int32_t device) {
  void* stream = nullptr;
  check(cuda().stream(device, &stream));
  return stream;
}

// The device's address of the first element of a contiguous tensor; T has the tensor's element
// size.
template <class T>
T* device_data(TensorRef tensor) {
  void* data = nullptr;
  check(cuda().data(tensor.handle(), &data));
  return static_cast<T*>(data);
}

}  // namespace hob
