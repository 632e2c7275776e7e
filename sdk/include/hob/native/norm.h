#pragma once

#include <ATen/ops/batch_norm.h>
#include <ATen/ops/layer_norm.h>
#include <ATen/ops/rms_norm.h>

#include <hob/native/layer.h>

#include <sstream>

namespace hob::native {

struct LayerNormOperation {
  double eps;
  at::Tensor operator()(const at::Tensor& input, const at::Tensor& weight,
                        const OptionalTensor& bias) const {
    return at::layer_norm(input, weight.sizes(), weight, bias, eps);
  }
};

// Normalises the last dimension: (..., width) -> (..., width), with name.weight and name.bias.
class LayerNorm : public Layer<LayerNormOperation> {
 public:
  LayerNorm(const Scope& scope, int64_t width, double eps = 1e-5)
      : Layer{scope,
              HOB_SOCKET_NORM,
              scope.parameter("weight", make_value({width}, init::constant(1)), HOB_ROLE_NORM),
              scope.parameter("bias", make_value({width}, init::constant(0)), HOB_ROLE_NORM),
              {eps}} {}
};

struct RmsNormOperation {
  double eps;
  at::Tensor operator()(const at::Tensor& input, const at::Tensor& weight,
                        const OptionalTensor&) const {
    return at::rms_norm(input, weight.sizes(), weight, eps);
  }
};

// Divides the last dimension by its root mean square, with name.weight (width). No bias.
class RmsNorm : public Layer<RmsNormOperation> {
 public:
  RmsNorm(const Scope& scope, int64_t width, double eps = 1e-6)
      : Layer{scope,
              HOB_SOCKET_NORM,
              scope.parameter("weight", make_value({width}, init::constant(1)), HOB_ROLE_NORM),
              nullptr,
              {eps}} {}
};

struct BatchNormOperation {
  hob_param* affine;
  hob_param* mean;
  hob_param* variance;
  hob_param* batches;
  const hob_pass* pass;
  double eps;
  double momentum;

  at::Tensor operator()(const at::Tensor& input, const at::Tensor& weight,
                        const OptionalTensor& bias) const {
    const at::Tensor& running_mean = tensor_of(mean->value);
    const at::Tensor& running_variance = tensor_of(variance->value);
    // The statistics stay float32 when the parameters are stored narrower; LibTorch wants all four
    // of one type, and takes a narrower input beside them.
    const at::Tensor scale = as_type_of(running_mean, weight);
    const OptionalTensor shift = bias ? as_type_of(running_mean, *bias) : OptionalTensor();

    const bool frozen = (affine->flags & HOB_PARAM_TRAINABLE) == 0;
    if (!pass->training || frozen) {
      return at::batch_norm(input, scale, shift, running_mean, running_variance, false, momentum,
                            eps, true);
    }
    check_size(input);
    if (pass->recompute) {
      return at::batch_norm(input, scale, shift, {}, {}, true, momentum, eps, true);
    }
    tensor_of(batches->value).add_(1);
    return at::batch_norm(input, scale, shift, running_mean, running_variance, true, momentum, eps,
                          true);
  }

 private:
  static at::Tensor as_type_of(const at::Tensor& other, const at::Tensor& value) {
    const auto type = other.scalar_type();
    return value.scalar_type() == type ? value : value.to(type);
  }
  // One value has no variance: LibTorch would write NaN into the running one.
  static void check_size(const at::Tensor& input) {
    if (input.dim() < 2 || input.numel() != input.size(1)) return;
    std::ostringstream text;
    text << "expected more than 1 value per channel in training, got an input of size "
         << input.sizes() << ": use larger batches, or drop the last one (loader.drop_last)";
    throw Error(text.str(), HOB_ERROR_INVALID);
  }
};

// Normalises each channel of (B, channels, H, W), with name.weight, name.bias and the buffers
// name.running_mean, name.running_var (float32) and name.num_batches_tracked (int64). In training
// by the batch's statistics, which move the running ones (not in a recomputed pass); in evaluation
// by the running ones. While its weight is frozen, it works as in evaluation.
class BatchNorm2d : public Layer<BatchNormOperation> {
 public:
  struct Options {
    double eps = 1e-5;
    double momentum = 0.1;
    Init init = init::constant(1);
  };

  BatchNorm2d(const Scope& scope, int64_t channels) : BatchNorm2d(scope, channels, Options()) {}
  BatchNorm2d(const Scope& scope, int64_t channels, const Options& options)
      : BatchNorm2d(
            scope, channels, options,
            scope.parameter("weight", make_value({channels}, options.init), HOB_ROLE_NORM)) {}

 private:
  BatchNorm2d(const Scope& scope, int64_t channels, const Options& options, hob_param* weight)
      : Layer{scope,
              HOB_SOCKET_NORM,
              weight,
              scope.parameter("bias", make_value({channels}, init::constant(0)), HOB_ROLE_NORM),
              {
                  .affine = weight,
                  .mean = buffer(scope, "running_mean", channels, 0),
                  .variance = buffer(scope, "running_var", channels, 1),
                  .batches = scope.buffer("num_batches_tracked", at::empty({}, at::kLong).zero_(),
                                          HOB_ROLE_NORM),
                  .pass = scope.pass(),
                  .eps = options.eps,
                  .momentum = options.momentum,
              }} {}

  static hob_param* buffer(const Scope& scope, const char* leaf, int64_t channels, double value) {
    return scope.buffer(leaf, make_value({channels}, init::constant(value)), HOB_ROLE_NORM);
  }
};

}  // namespace hob::native
