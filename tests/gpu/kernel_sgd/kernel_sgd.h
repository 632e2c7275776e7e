#pragma once

#include <cstdint>

// param[i] -= lr * grad[i] on the stream, a cudaStream_t; the text of an error, or NULL.
const char* launch_step(float* param, const float* grad, float lr, int64_t n, void* stream);
