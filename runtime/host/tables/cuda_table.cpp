#include "host/tables/run_scope.h"
#include "host/tables/tables.h"

#ifdef HOB_CUDA
#include <c10/cuda/CUDAFunctions.h>
#include <c10/cuda/CUDAStream.h>
#endif

// hob.cuda/1: streams and device pointers. A hob without CUDA offers the table too, so that a
// plugin with a kernel for each kind of device loads there; its calls answer that there is no
// device.

namespace hob::host {
namespace {

#ifdef HOB_CUDA

int32_t device_of(const hob_tensor* tensor) noexcept {
  const at::Tensor& t = tensor_of(tensor);
  return t.is_cuda() ? t.get_device() : -1;
}

hob_error* stream(int32_t device, void** out) noexcept {
  return guard([&] {
    const int32_t count = c10::cuda::device_count();
    if (device < 0 || device >= count) {
      refuse("there is no CUDA device " + std::to_string(device) + ", but " +
             std::to_string(count) + " of them");
    }
    *out = c10::cuda::getCurrentCUDAStream(static_cast<c10::DeviceIndex>(device)).stream();
  });
}

hob_error* data(const hob_tensor* tensor, void** out) noexcept {
  return guard([&] {
    const at::Tensor& t = tensor_of(tensor);
    if (!t.is_cuda()) refuse("the tensor is on " + t.device().str() + ", not on a CUDA device");
    if (!t.is_contiguous()) refuse("the tensor is not contiguous; make it so first");
    *out = t.mutable_data_ptr();
  });
}

#else

hob_error* unsupported() noexcept {
  return new_error(HOB_ERROR_UNSUPPORTED, "this hob was built without CUDA");
}

int32_t device_of(const hob_tensor*) noexcept {
  return -1;
}
hob_error* stream(int32_t, void**) noexcept {
  return unsupported();
}
hob_error* data(const hob_tensor*, void**) noexcept {
  return unsupported();
}

#endif

}  // namespace

const hob_cuda kCudaTable = {
    .struct_size = sizeof(hob_cuda),
    .reserved = 0,
    .device_of = device_of,
    .stream = stream,
    .data = data,
};

}  // namespace hob::host
