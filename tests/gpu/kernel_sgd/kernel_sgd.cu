#include "kernel_sgd.h"

__global__ void step(float* param, const float* grad, float lr, int64_t n) {
  const int64_t i = blockIdx.x * static_cast<int64_t>(blockDim.x) + threadIdx.x;
  if (i < n) param[i] -= lr * grad[i];
}

const char* launch_step(float* param, const float* grad, float lr, int64_t n, void* stream) {
  constexpr int kThreads = 256;
  const auto blocks = static_cast<unsigned>((n + kThreads - 1) / kThreads);
  if (blocks == 0) return nullptr;
  step<<<blocks, kThreads, 0, static_cast<cudaStream_t>(stream)>>>(param, grad, lr, n);
  const cudaError_t error = cudaGetLastError();
  return error == cudaSuccess ? nullptr : cudaGetErrorString(error);
}
