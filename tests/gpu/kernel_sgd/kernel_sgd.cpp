#include "kernel_sgd.h"

#include <hob/cuda.h>
#include <hob/optimizer.h>

// Gradient descent by a kernel of the plugin's own: shows that a stable plugin may bring CUDA code,
// on the host's stream and memory. On the CPU the operator that the kernel is checked against does
// the step.

namespace {

struct KernelSgdConfig {
  HOB_SCHEMA(KernelSgdConfig)
};

class KernelSgd : public hob::Optimizer<KernelSgdConfig> {
 public:
  void step(Group& group) override {
    const hob::ListRef params = group.params();
    const hob::ListRef grads = group.grads();
    for (uint32_t i = 0; i < params.size(); ++i) step_tensor(params[i], grads[i], group.lr());
  }

 private:
  static void step_tensor(const hob::Tensor& param, const hob::Tensor& grad, double lr) {
    const int32_t device = hob::cuda_device_of(param);
    if (device < 0) {
      hob::add_(param, grad, -lr);
      return;
    }
    if (param.dtype() != HOB_FLOAT32 || grad.dtype() != HOB_FLOAT32) {
      throw hob::Error("kernel_sgd steps float32 parameters alone", HOB_ERROR_INVALID);
    }
    const char* error =
        launch_step(hob::device_data<float>(param), hob::device_data<const float>(grad),
                    static_cast<float>(lr), param.numel(), hob::cuda_stream(device));
    if (error) throw hob::Error(std::string("the kernel did not start: ") + error);
  }
};

}  // namespace

HOB_PLUGIN("org.hob.test.kernel_sgd", "0.1.0",
           hob::add<KernelSgd>("kernel_sgd",
                               "Gradient descent by a CUDA kernel of the plugin's own"))
