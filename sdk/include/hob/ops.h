// Generated from sdk/operators.txt by sdk/tools/generate_ops.py: edit the list.
// clang-format off
#pragma once

#include <hob/op.h>

// Each function calls the operator of LibTorch that stands above it, with its meaning and its
// errors; autograd, autocast and devices apply as in LibTorch. Thread: any.

namespace hob {

// aten::add.Tensor(Tensor self, Tensor other, *, Scalar alpha=1) -> Tensor
inline Tensor add(TensorRef input, TensorRef other, double alpha = 1) {
  HOB_EMIT_NOTE(2, "aten::add.Tensor(Tensor self, Tensor other, *, Scalar alpha=1) -> Tensor");
  static Op op("aten::add", "Tensor");
  return op.tensor({input, other, Argument::scalar(alpha)});
}

// aten::add.Scalar(Tensor self, Scalar other, Scalar alpha=1) -> Tensor
inline Tensor add(TensorRef input, double other, double alpha = 1) {
  HOB_EMIT_NOTE(2, "aten::add.Scalar(Tensor self, Scalar other, Scalar alpha=1) -> Tensor");
  static Op op("aten::add", "Scalar");
  return op.tensor({input, Argument::scalar(other), Argument::scalar(alpha)});
}

// aten::add_.Tensor(Tensor(a!) self, Tensor other, *, Scalar alpha=1) -> Tensor(a!)
inline void add_(TensorRef input, TensorRef other, double alpha = 1) {
  HOB_EMIT_NOTE(2, "aten::add_.Tensor(Tensor(a!) self, Tensor other, *, Scalar alpha=1) -> Tensor(a!)");
  static Op op("aten::add_", "Tensor");
  op.run({input, other, Argument::scalar(alpha)});
}

// aten::sub.Tensor(Tensor self, Tensor other, *, Scalar alpha=1) -> Tensor
inline Tensor sub(TensorRef input, TensorRef other, double alpha = 1) {
  HOB_EMIT_NOTE(2, "aten::sub.Tensor(Tensor self, Tensor other, *, Scalar alpha=1) -> Tensor");
  static Op op("aten::sub", "Tensor");
  return op.tensor({input, other, Argument::scalar(alpha)});
}

// aten::mul.Tensor(Tensor self, Tensor other) -> Tensor
inline Tensor mul(TensorRef input, TensorRef other) {
  HOB_EMIT_NOTE(2, "aten::mul.Tensor(Tensor self, Tensor other) -> Tensor");
  static Op op("aten::mul", "Tensor");
  return op.tensor({input, other});
}

// aten::mul.Scalar(Tensor self, Scalar other) -> Tensor
inline Tensor mul(TensorRef input, double other) {
  HOB_EMIT_NOTE(2, "aten::mul.Scalar(Tensor self, Scalar other) -> Tensor");
  static Op op("aten::mul", "Scalar");
  return op.tensor({input, Argument::scalar(other)});
}

// aten::mul_.Tensor(Tensor(a!) self, Tensor other) -> Tensor(a!)
inline void mul_(TensorRef input, TensorRef other) {
  HOB_EMIT_NOTE(2, "aten::mul_.Tensor(Tensor(a!) self, Tensor other) -> Tensor(a!)");
  static Op op("aten::mul_", "Tensor");
  op.run({input, other});
}

// aten::mul_.Scalar(Tensor(a!) self, Scalar other) -> Tensor(a!)
inline void mul_(TensorRef input, double other) {
  HOB_EMIT_NOTE(2, "aten::mul_.Scalar(Tensor(a!) self, Scalar other) -> Tensor(a!)");
  static Op op("aten::mul_", "Scalar");
  op.run({input, Argument::scalar(other)});
}

// aten::div.Tensor(Tensor self, Tensor other) -> Tensor
inline Tensor div(TensorRef input, TensorRef other) {
  HOB_EMIT_NOTE(2, "aten::div.Tensor(Tensor self, Tensor other) -> Tensor");
  static Op op("aten::div", "Tensor");
  return op.tensor({input, other});
}

// aten::div.Scalar(Tensor self, Scalar other) -> Tensor
inline Tensor div(TensorRef input, double other) {
  HOB_EMIT_NOTE(2, "aten::div.Scalar(Tensor self, Scalar other) -> Tensor");
  static Op op("aten::div", "Scalar");
  return op.tensor({input, Argument::scalar(other)});
}

// aten::neg(Tensor self) -> Tensor
inline Tensor neg(TensorRef input) {
  HOB_EMIT_NOTE(2, "aten::neg(Tensor self) -> Tensor");
  static Op op("aten::neg", "");
  return op.tensor({input});
}

// aten::abs(Tensor self) -> Tensor
inline Tensor abs(TensorRef input) {
  HOB_EMIT_NOTE(2, "aten::abs(Tensor self) -> Tensor");
  static Op op("aten::abs", "");
  return op.tensor({input});
}

// aten::sqrt(Tensor self) -> Tensor
inline Tensor sqrt(TensorRef input) {
  HOB_EMIT_NOTE(2, "aten::sqrt(Tensor self) -> Tensor");
  static Op op("aten::sqrt", "");
  return op.tensor({input});
}

// aten::pow.Tensor_Scalar(Tensor self, Scalar exponent) -> Tensor
inline Tensor pow(TensorRef input, double exponent) {
  HOB_EMIT_NOTE(2, "aten::pow.Tensor_Scalar(Tensor self, Scalar exponent) -> Tensor");
  static Op op("aten::pow", "Tensor_Scalar");
  return op.tensor({input, Argument::scalar(exponent)});
}

// aten::exp(Tensor self) -> Tensor
inline Tensor exp(TensorRef input) {
  HOB_EMIT_NOTE(2, "aten::exp(Tensor self) -> Tensor");
  static Op op("aten::exp", "");
  return op.tensor({input});
}

// aten::log(Tensor self) -> Tensor
inline Tensor log(TensorRef input) {
  HOB_EMIT_NOTE(2, "aten::log(Tensor self) -> Tensor");
  static Op op("aten::log", "");
  return op.tensor({input});
}

// aten::sign(Tensor self) -> Tensor
inline Tensor sign(TensorRef input) {
  HOB_EMIT_NOTE(2, "aten::sign(Tensor self) -> Tensor");
  static Op op("aten::sign", "");
  return op.tensor({input});
}

// aten::relu(Tensor self) -> Tensor
inline Tensor relu(TensorRef input) {
  HOB_EMIT_NOTE(2, "aten::relu(Tensor self) -> Tensor");
  static Op op("aten::relu", "");
  return op.tensor({input});
}

// aten::gelu(Tensor self, *, str approximate="none") -> Tensor
inline Tensor gelu(TensorRef input, std::string_view approximate = "none") {
  HOB_EMIT_NOTE(2, "aten::gelu(Tensor self, *, str approximate=\\\"none\\\") -> Tensor");
  static Op op("aten::gelu", "");
  return op.tensor({input, approximate});
}

// aten::silu(Tensor self) -> Tensor
inline Tensor silu(TensorRef input) {
  HOB_EMIT_NOTE(2, "aten::silu(Tensor self) -> Tensor");
  static Op op("aten::silu", "");
  return op.tensor({input});
}

// aten::tanh(Tensor self) -> Tensor
inline Tensor tanh(TensorRef input) {
  HOB_EMIT_NOTE(2, "aten::tanh(Tensor self) -> Tensor");
  static Op op("aten::tanh", "");
  return op.tensor({input});
}

// aten::sigmoid(Tensor self) -> Tensor
inline Tensor sigmoid(TensorRef input) {
  HOB_EMIT_NOTE(2, "aten::sigmoid(Tensor self) -> Tensor");
  static Op op("aten::sigmoid", "");
  return op.tensor({input});
}

// aten::softmax.int(Tensor self, int dim, ScalarType? dtype=None) -> Tensor
inline Tensor softmax(TensorRef input, int64_t dim, std::optional<int32_t> dtype = std::nullopt) {
  HOB_EMIT_NOTE(2, "aten::softmax.int(Tensor self, int dim, ScalarType? dtype=None) -> Tensor");
  static Op op("aten::softmax", "int");
  return op.tensor({input, dim, Argument::dtype(dtype)});
}

// aten::log_softmax.int(Tensor self, int dim, ScalarType? dtype=None) -> Tensor
inline Tensor log_softmax(TensorRef input, int64_t dim, std::optional<int32_t> dtype = std::nullopt) {
  HOB_EMIT_NOTE(2, "aten::log_softmax.int(Tensor self, int dim, ScalarType? dtype=None) -> Tensor");
  static Op op("aten::log_softmax", "int");
  return op.tensor({input, dim, Argument::dtype(dtype)});
}

// aten::matmul(Tensor self, Tensor other) -> Tensor
inline Tensor matmul(TensorRef input, TensorRef other) {
  HOB_EMIT_NOTE(2, "aten::matmul(Tensor self, Tensor other) -> Tensor");
  static Op op("aten::matmul", "");
  return op.tensor({input, other});
}

// aten::mm(Tensor self, Tensor mat2) -> Tensor
inline Tensor mm(TensorRef input, TensorRef mat2) {
  HOB_EMIT_NOTE(2, "aten::mm(Tensor self, Tensor mat2) -> Tensor");
  static Op op("aten::mm", "");
  return op.tensor({input, mat2});
}

// aten::linear(Tensor input, Tensor weight, Tensor? bias=None) -> Tensor
inline Tensor linear(TensorRef input, TensorRef weight, TensorRef bias = {}) {
  HOB_EMIT_NOTE(2, "aten::linear(Tensor input, Tensor weight, Tensor? bias=None) -> Tensor");
  static Op op("aten::linear", "");
  return op.tensor({input, weight, bias});
}

// aten::conv1d(Tensor input, Tensor weight, Tensor? bias=None, SymInt[1] stride=[1], SymInt[1] padding=[0], SymInt[1] dilation=[1], SymInt groups=1) -> Tensor
inline Tensor conv1d(TensorRef input, TensorRef weight, TensorRef bias = {}, Ints stride = {1}, Ints padding = {0}, Ints dilation = {1}, int64_t groups = 1) {
  HOB_EMIT_NOTE(2, "aten::conv1d(Tensor input, Tensor weight, Tensor? bias=None, SymInt[1] stride=[1], SymInt[1] padding=[0], SymInt[1] dilation=[1], SymInt groups=1) -> Tensor");
  static Op op("aten::conv1d", "");
  return op.tensor({input, weight, bias, stride, padding, dilation, groups});
}

// aten::conv2d(Tensor input, Tensor weight, Tensor? bias=None, SymInt[2] stride=[1, 1], SymInt[2] padding=[0, 0], SymInt[2] dilation=[1, 1], SymInt groups=1) -> Tensor
inline Tensor conv2d(TensorRef input, TensorRef weight, TensorRef bias = {}, Ints stride = {1, 1}, Ints padding = {0, 0}, Ints dilation = {1, 1}, int64_t groups = 1) {
  HOB_EMIT_NOTE(2, "aten::conv2d(Tensor input, Tensor weight, Tensor? bias=None, SymInt[2] stride=[1, 1], SymInt[2] padding=[0, 0], SymInt[2] dilation=[1, 1], SymInt groups=1) -> Tensor");
  static Op op("aten::conv2d", "");
  return op.tensor({input, weight, bias, stride, padding, dilation, groups});
}

// aten::conv3d(Tensor input, Tensor weight, Tensor? bias=None, SymInt[3] stride=[1, 1, 1], SymInt[3] padding=[0, 0, 0], SymInt[3] dilation=[1, 1, 1], SymInt groups=1) -> Tensor
inline Tensor conv3d(TensorRef input, TensorRef weight, TensorRef bias = {}, Ints stride = {1, 1, 1}, Ints padding = {0, 0, 0}, Ints dilation = {1, 1, 1}, int64_t groups = 1) {
  HOB_EMIT_NOTE(2, "aten::conv3d(Tensor input, Tensor weight, Tensor? bias=None, SymInt[3] stride=[1, 1, 1], SymInt[3] padding=[0, 0, 0], SymInt[3] dilation=[1, 1, 1], SymInt groups=1) -> Tensor");
  static Op op("aten::conv3d", "");
  return op.tensor({input, weight, bias, stride, padding, dilation, groups});
}

// aten::embedding(Tensor weight, Tensor indices, SymInt padding_idx=-1, bool scale_grad_by_freq=False, bool sparse=False) -> Tensor
inline Tensor embedding(TensorRef weight, TensorRef indices, int64_t padding_idx = -1, bool scale_grad_by_freq = false, bool sparse = false) {
  HOB_EMIT_NOTE(2, "aten::embedding(Tensor weight, Tensor indices, SymInt padding_idx=-1, bool scale_grad_by_freq=False, bool sparse=False) -> Tensor");
  static Op op("aten::embedding", "");
  return op.tensor({weight, indices, padding_idx, scale_grad_by_freq, sparse});
}

// aten::layer_norm(Tensor input, SymInt[] normalized_shape, Tensor? weight=None, Tensor? bias=None, float eps=1.0000000000000001e-05, bool cudnn_enable=True) -> Tensor
inline Tensor layer_norm(TensorRef input, Ints normalized_shape, TensorRef weight = {}, TensorRef bias = {}, double eps = 1e-05, bool cudnn_enable = true) {
  HOB_EMIT_NOTE(2, "aten::layer_norm(Tensor input, SymInt[] normalized_shape, Tensor? weight=None, Tensor? bias=None, float eps=1.0000000000000001e-05, bool cudnn_enable=True) -> Tensor");
  static Op op("aten::layer_norm", "");
  return op.tensor({input, normalized_shape, weight, bias, eps, cudnn_enable});
}

// aten::dropout(Tensor input, float p, bool train) -> Tensor
inline Tensor dropout(TensorRef input, double p, bool train) {
  HOB_EMIT_NOTE(2, "aten::dropout(Tensor input, float p, bool train) -> Tensor");
  static Op op("aten::dropout", "");
  return op.tensor({input, p, train});
}

// aten::cross_entropy_loss(Tensor self, Tensor target, Tensor? weight=None, int reduction=1, SymInt ignore_index=-100, float label_smoothing=0.) -> Tensor
inline Tensor cross_entropy_loss(TensorRef input, TensorRef target, TensorRef weight = {}, int64_t reduction = 1, int64_t ignore_index = -100, double label_smoothing = 0.0) {
  HOB_EMIT_NOTE(2, "aten::cross_entropy_loss(Tensor self, Tensor target, Tensor? weight=None, int reduction=1, SymInt ignore_index=-100, float label_smoothing=0.) -> Tensor");
  static Op op("aten::cross_entropy_loss", "");
  return op.tensor({input, target, weight, reduction, ignore_index, label_smoothing});
}

// aten::mse_loss(Tensor self, Tensor target, int reduction=1) -> Tensor
inline Tensor mse_loss(TensorRef input, TensorRef target, int64_t reduction = 1) {
  HOB_EMIT_NOTE(2, "aten::mse_loss(Tensor self, Tensor target, int reduction=1) -> Tensor");
  static Op op("aten::mse_loss", "");
  return op.tensor({input, target, reduction});
}

// aten::eq.Tensor(Tensor self, Tensor other) -> Tensor
inline Tensor eq(TensorRef input, TensorRef other) {
  HOB_EMIT_NOTE(2, "aten::eq.Tensor(Tensor self, Tensor other) -> Tensor");
  static Op op("aten::eq", "Tensor");
  return op.tensor({input, other});
}

// aten::ne.Tensor(Tensor self, Tensor other) -> Tensor
inline Tensor ne(TensorRef input, TensorRef other) {
  HOB_EMIT_NOTE(2, "aten::ne.Tensor(Tensor self, Tensor other) -> Tensor");
  static Op op("aten::ne", "Tensor");
  return op.tensor({input, other});
}

// aten::ne.Scalar(Tensor self, Scalar other) -> Tensor
inline Tensor ne(TensorRef input, double other) {
  HOB_EMIT_NOTE(2, "aten::ne.Scalar(Tensor self, Scalar other) -> Tensor");
  static Op op("aten::ne", "Scalar");
  return op.tensor({input, Argument::scalar(other)});
}

// aten::ge.Tensor(Tensor self, Tensor other) -> Tensor
inline Tensor ge(TensorRef input, TensorRef other) {
  HOB_EMIT_NOTE(2, "aten::ge.Tensor(Tensor self, Tensor other) -> Tensor");
  static Op op("aten::ge", "Tensor");
  return op.tensor({input, other});
}

// aten::argmax(Tensor self, int? dim=None, bool keepdim=False) -> Tensor
inline Tensor argmax(TensorRef input, std::optional<int64_t> dim = std::nullopt, bool keepdim = false) {
  HOB_EMIT_NOTE(2, "aten::argmax(Tensor self, int? dim=None, bool keepdim=False) -> Tensor");
  static Op op("aten::argmax", "");
  return op.tensor({input, dim, keepdim});
}

// aten::topk(Tensor self, SymInt k, int dim=-1, bool largest=True, bool sorted=True) -> (Tensor values, Tensor indices)
inline std::pair<Tensor, Tensor> topk(TensorRef input, int64_t k, int64_t dim = -1, bool largest = true, bool sorted = true) {
  HOB_EMIT_NOTE(2, "aten::topk(Tensor self, SymInt k, int dim=-1, bool largest=True, bool sorted=True) -> (Tensor values, Tensor indices)");
  static Op op("aten::topk", "");
  hob_value results[2] = {};
  op.call({input, k, dim, largest, sorted}, results, 2);
  return {Tensor(results[0].as.tensor), Tensor(results[1].as.tensor)};
}

// aten::sum(Tensor self, *, ScalarType? dtype=None) -> Tensor
inline Tensor sum(TensorRef input, std::optional<int32_t> dtype = std::nullopt) {
  HOB_EMIT_NOTE(2, "aten::sum(Tensor self, *, ScalarType? dtype=None) -> Tensor");
  static Op op("aten::sum", "");
  return op.tensor({input, Argument::dtype(dtype)});
}

// aten::sum.dim_IntList(Tensor self, int[1]? dim, bool keepdim=False, *, ScalarType? dtype=None) -> Tensor
inline Tensor sum(TensorRef input, std::optional<Ints> dim, bool keepdim = false, std::optional<int32_t> dtype = std::nullopt) {
  HOB_EMIT_NOTE(2, "aten::sum.dim_IntList(Tensor self, int[1]? dim, bool keepdim=False, *, ScalarType? dtype=None) -> Tensor");
  static Op op("aten::sum", "dim_IntList");
  return op.tensor({input, dim, keepdim, Argument::dtype(dtype)});
}

// aten::mean(Tensor self, *, ScalarType? dtype=None) -> Tensor
inline Tensor mean(TensorRef input, std::optional<int32_t> dtype = std::nullopt) {
  HOB_EMIT_NOTE(2, "aten::mean(Tensor self, *, ScalarType? dtype=None) -> Tensor");
  static Op op("aten::mean", "");
  return op.tensor({input, Argument::dtype(dtype)});
}

// aten::mean.dim(Tensor self, int[1]? dim, bool keepdim=False, *, ScalarType? dtype=None) -> Tensor
inline Tensor mean(TensorRef input, std::optional<Ints> dim, bool keepdim = false, std::optional<int32_t> dtype = std::nullopt) {
  HOB_EMIT_NOTE(2, "aten::mean.dim(Tensor self, int[1]? dim, bool keepdim=False, *, ScalarType? dtype=None) -> Tensor");
  static Op op("aten::mean", "dim");
  return op.tensor({input, dim, keepdim, Argument::dtype(dtype)});
}

// aten::amax(Tensor self, int[1] dim=[], bool keepdim=False) -> Tensor
inline Tensor amax(TensorRef input, Ints dim = {}, bool keepdim = false) {
  HOB_EMIT_NOTE(2, "aten::amax(Tensor self, int[1] dim=[], bool keepdim=False) -> Tensor");
  static Op op("aten::amax", "");
  return op.tensor({input, dim, keepdim});
}

// aten::clamp(Tensor self, Scalar? min=None, Scalar? max=None) -> Tensor
inline Tensor clamp(TensorRef input, std::optional<double> min = std::nullopt, std::optional<double> max = std::nullopt) {
  HOB_EMIT_NOTE(2, "aten::clamp(Tensor self, Scalar? min=None, Scalar? max=None) -> Tensor");
  static Op op("aten::clamp", "");
  return op.tensor({input, min ? Argument::scalar(*min) : Argument(), max ? Argument::scalar(*max) : Argument()});
}

// aten::clamp_(Tensor(a!) self, Scalar? min=None, Scalar? max=None) -> Tensor(a!)
inline void clamp_(TensorRef input, std::optional<double> min = std::nullopt, std::optional<double> max = std::nullopt) {
  HOB_EMIT_NOTE(2, "aten::clamp_(Tensor(a!) self, Scalar? min=None, Scalar? max=None) -> Tensor(a!)");
  static Op op("aten::clamp_", "");
  op.run({input, min ? Argument::scalar(*min) : Argument(), max ? Argument::scalar(*max) : Argument()});
}

// aten::where.self(Tensor condition, Tensor self, Tensor other) -> Tensor
inline Tensor where(TensorRef condition, TensorRef input, TensorRef other) {
  HOB_EMIT_NOTE(2, "aten::where.self(Tensor condition, Tensor self, Tensor other) -> Tensor");
  static Op op("aten::where", "self");
  return op.tensor({condition, input, other});
}

// aten::lerp_.Scalar(Tensor(a!) self, Tensor end, Scalar weight) -> Tensor(a!)
inline void lerp_(TensorRef input, TensorRef end, double weight) {
  HOB_EMIT_NOTE(2, "aten::lerp_.Scalar(Tensor(a!) self, Tensor end, Scalar weight) -> Tensor(a!)");
  static Op op("aten::lerp_", "Scalar");
  op.run({input, end, Argument::scalar(weight)});
}

// aten::zeros(SymInt[] size, *, ScalarType? dtype=None, Layout? layout=None, Device? device=None, bool? pin_memory=None) -> Tensor
inline Tensor zeros(Ints size, std::optional<int32_t> dtype = std::nullopt) {
  HOB_EMIT_NOTE(2, "aten::zeros(SymInt[] size, *, ScalarType? dtype=None, Layout? layout=None, Device? device=None, bool? pin_memory=None) -> Tensor");
  static Op op("aten::zeros", "");
  return op.tensor({size, Argument::dtype(dtype), Argument(), Argument(), Argument()});
}

// aten::ones(SymInt[] size, *, ScalarType? dtype=None, Layout? layout=None, Device? device=None, bool? pin_memory=None) -> Tensor
inline Tensor ones(Ints size, std::optional<int32_t> dtype = std::nullopt) {
  HOB_EMIT_NOTE(2, "aten::ones(SymInt[] size, *, ScalarType? dtype=None, Layout? layout=None, Device? device=None, bool? pin_memory=None) -> Tensor");
  static Op op("aten::ones", "");
  return op.tensor({size, Argument::dtype(dtype), Argument(), Argument(), Argument()});
}

// aten::empty.memory_format(SymInt[] size, *, ScalarType? dtype=None, Layout? layout=None, Device? device=None, bool? pin_memory=None, MemoryFormat? memory_format=None) -> Tensor
inline Tensor empty(Ints size, std::optional<int32_t> dtype = std::nullopt) {
  HOB_EMIT_NOTE(2, "aten::empty.memory_format(SymInt[] size, *, ScalarType? dtype=None, Layout? layout=None, Device? device=None, bool? pin_memory=None, MemoryFormat? memory_format=None) -> Tensor");
  static Op op("aten::empty", "memory_format");
  return op.tensor({size, Argument::dtype(dtype), Argument(), Argument(), Argument(), Argument()});
}

// aten::zeros_like(Tensor self, *, ScalarType? dtype=None, Layout? layout=None, Device? device=None, bool? pin_memory=None, MemoryFormat? memory_format=None) -> Tensor
inline Tensor zeros_like(TensorRef input, std::optional<int32_t> dtype = std::nullopt) {
  HOB_EMIT_NOTE(2, "aten::zeros_like(Tensor self, *, ScalarType? dtype=None, Layout? layout=None, Device? device=None, bool? pin_memory=None, MemoryFormat? memory_format=None) -> Tensor");
  static Op op("aten::zeros_like", "");
  return op.tensor({input, Argument::dtype(dtype), Argument(), Argument(), Argument(), Argument()});
}

// aten::ones_like(Tensor self, *, ScalarType? dtype=None, Layout? layout=None, Device? device=None, bool? pin_memory=None, MemoryFormat? memory_format=None) -> Tensor
inline Tensor ones_like(TensorRef input, std::optional<int32_t> dtype = std::nullopt) {
  HOB_EMIT_NOTE(2, "aten::ones_like(Tensor self, *, ScalarType? dtype=None, Layout? layout=None, Device? device=None, bool? pin_memory=None, MemoryFormat? memory_format=None) -> Tensor");
  static Op op("aten::ones_like", "");
  return op.tensor({input, Argument::dtype(dtype), Argument(), Argument(), Argument(), Argument()});
}

// aten::empty_like(Tensor self, *, ScalarType? dtype=None, Layout? layout=None, Device? device=None, bool? pin_memory=None, MemoryFormat? memory_format=None) -> Tensor
inline Tensor empty_like(TensorRef input, std::optional<int32_t> dtype = std::nullopt) {
  HOB_EMIT_NOTE(2, "aten::empty_like(Tensor self, *, ScalarType? dtype=None, Layout? layout=None, Device? device=None, bool? pin_memory=None, MemoryFormat? memory_format=None) -> Tensor");
  static Op op("aten::empty_like", "");
  return op.tensor({input, Argument::dtype(dtype), Argument(), Argument(), Argument(), Argument()});
}

// aten::full(SymInt[] size, Scalar fill_value, *, ScalarType? dtype=None, Layout? layout=None, Device? device=None, bool? pin_memory=None) -> Tensor
inline Tensor full(Ints size, double fill_value, std::optional<int32_t> dtype = std::nullopt) {
  HOB_EMIT_NOTE(2, "aten::full(SymInt[] size, Scalar fill_value, *, ScalarType? dtype=None, Layout? layout=None, Device? device=None, bool? pin_memory=None) -> Tensor");
  static Op op("aten::full", "");
  return op.tensor({size, Argument::scalar(fill_value), Argument::dtype(dtype), Argument(), Argument(), Argument()});
}

// aten::clone(Tensor self, *, MemoryFormat? memory_format=None) -> Tensor
inline Tensor clone(TensorRef input) {
  HOB_EMIT_NOTE(2, "aten::clone(Tensor self, *, MemoryFormat? memory_format=None) -> Tensor");
  static Op op("aten::clone", "");
  return op.tensor({input, Argument()});
}

// aten::copy_(Tensor(a!) self, Tensor src, bool non_blocking=False) -> Tensor(a!)
inline void copy_(TensorRef input, TensorRef src, bool non_blocking = false) {
  HOB_EMIT_NOTE(2, "aten::copy_(Tensor(a!) self, Tensor src, bool non_blocking=False) -> Tensor(a!)");
  static Op op("aten::copy_", "");
  op.run({input, src, non_blocking});
}

// aten::fill_.Scalar(Tensor(a!) self, Scalar value) -> Tensor(a!)
inline void fill_(TensorRef input, double value) {
  HOB_EMIT_NOTE(2, "aten::fill_.Scalar(Tensor(a!) self, Scalar value) -> Tensor(a!)");
  static Op op("aten::fill_", "Scalar");
  op.run({input, Argument::scalar(value)});
}

// aten::zero_(Tensor(a!) self) -> Tensor(a!)
inline void zero_(TensorRef input) {
  HOB_EMIT_NOTE(2, "aten::zero_(Tensor(a!) self) -> Tensor(a!)");
  static Op op("aten::zero_", "");
  op.run({input});
}

// aten::normal_(Tensor(a!) self, float mean=0., float std=1., *, Generator? generator=None) -> Tensor(a!)
inline void normal_(TensorRef input, double mean = 0.0, double std = 1.0) {
  HOB_EMIT_NOTE(2, "aten::normal_(Tensor(a!) self, float mean=0., float std=1., *, Generator? generator=None) -> Tensor(a!)");
  static Op op("aten::normal_", "");
  op.run({input, mean, std, Argument()});
}

// aten::uniform_(Tensor(a!) self, float from=0., float to=1., *, Generator? generator=None) -> Tensor(a!)
inline void uniform_(TensorRef input, double from = 0.0, double to = 1.0) {
  HOB_EMIT_NOTE(2, "aten::uniform_(Tensor(a!) self, float from=0., float to=1., *, Generator? generator=None) -> Tensor(a!)");
  static Op op("aten::uniform_", "");
  op.run({input, from, to, Argument()});
}

// aten::detach(Tensor(a) self) -> Tensor(a)
inline Tensor detach(TensorRef input) {
  HOB_EMIT_NOTE(2, "aten::detach(Tensor(a) self) -> Tensor(a)");
  static Op op("aten::detach", "");
  return op.tensor({input});
}

// aten::contiguous(Tensor(a) self, *, MemoryFormat memory_format=0) -> Tensor(a)
inline Tensor contiguous(TensorRef input) {
  HOB_EMIT_NOTE(2, "aten::contiguous(Tensor(a) self, *, MemoryFormat memory_format=0) -> Tensor(a)");
  static Op op("aten::contiguous", "");
  return op.tensor({input, Argument()});
}

// aten::to.dtype(Tensor(a) self, ScalarType dtype, bool non_blocking=False, bool copy=False, MemoryFormat? memory_format=None) -> Tensor(a)
inline Tensor to_dtype(TensorRef input, int32_t dtype, bool non_blocking = false, bool copy = false) {
  HOB_EMIT_NOTE(2, "aten::to.dtype(Tensor(a) self, ScalarType dtype, bool non_blocking=False, bool copy=False, MemoryFormat? memory_format=None) -> Tensor(a)");
  static Op op("aten::to", "dtype");
  return op.tensor({input, Argument::dtype(dtype), non_blocking, copy, Argument()});
}

// aten::to.other(Tensor(a) self, Tensor other, bool non_blocking=False, bool copy=False, MemoryFormat? memory_format=None) -> Tensor(a)
inline Tensor to(TensorRef input, TensorRef other, bool non_blocking = false, bool copy = false) {
  HOB_EMIT_NOTE(2, "aten::to.other(Tensor(a) self, Tensor other, bool non_blocking=False, bool copy=False, MemoryFormat? memory_format=None) -> Tensor(a)");
  static Op op("aten::to", "other");
  return op.tensor({input, other, non_blocking, copy, Argument()});
}

// aten::reshape(Tensor(a) self, SymInt[] shape) -> Tensor(a)
inline Tensor reshape(TensorRef input, Ints shape) {
  HOB_EMIT_NOTE(2, "aten::reshape(Tensor(a) self, SymInt[] shape) -> Tensor(a)");
  static Op op("aten::reshape", "");
  return op.tensor({input, shape});
}

// aten::flatten.using_ints(Tensor(a) self, int start_dim=0, int end_dim=-1) -> Tensor(a)
inline Tensor flatten(TensorRef input, int64_t start_dim = 0, int64_t end_dim = -1) {
  HOB_EMIT_NOTE(2, "aten::flatten.using_ints(Tensor(a) self, int start_dim=0, int end_dim=-1) -> Tensor(a)");
  static Op op("aten::flatten", "using_ints");
  return op.tensor({input, start_dim, end_dim});
}

// aten::permute(Tensor(a) self, int[] dims) -> Tensor(a)
inline Tensor permute(TensorRef input, Ints dims) {
  HOB_EMIT_NOTE(2, "aten::permute(Tensor(a) self, int[] dims) -> Tensor(a)");
  static Op op("aten::permute", "");
  return op.tensor({input, dims});
}

// aten::transpose.int(Tensor(a) self, int dim0, int dim1) -> Tensor(a)
inline Tensor transpose(TensorRef input, int64_t dim0, int64_t dim1) {
  HOB_EMIT_NOTE(2, "aten::transpose.int(Tensor(a) self, int dim0, int dim1) -> Tensor(a)");
  static Op op("aten::transpose", "int");
  return op.tensor({input, dim0, dim1});
}

// aten::unsqueeze(Tensor(a) self, int dim) -> Tensor(a)
inline Tensor unsqueeze(TensorRef input, int64_t dim) {
  HOB_EMIT_NOTE(2, "aten::unsqueeze(Tensor(a) self, int dim) -> Tensor(a)");
  static Op op("aten::unsqueeze", "");
  return op.tensor({input, dim});
}

// aten::squeeze.dim(Tensor(a) self, int dim) -> Tensor(a)
inline Tensor squeeze(TensorRef input, int64_t dim) {
  HOB_EMIT_NOTE(2, "aten::squeeze.dim(Tensor(a) self, int dim) -> Tensor(a)");
  static Op op("aten::squeeze", "dim");
  return op.tensor({input, dim});
}

// aten::select.int(Tensor(a) self, int dim, SymInt index) -> Tensor(a)
inline Tensor select(TensorRef input, int64_t dim, int64_t index) {
  HOB_EMIT_NOTE(2, "aten::select.int(Tensor(a) self, int dim, SymInt index) -> Tensor(a)");
  static Op op("aten::select", "int");
  return op.tensor({input, dim, index});
}

// aten::narrow(Tensor(a) self, int dim, SymInt start, SymInt length) -> Tensor(a)
inline Tensor narrow(TensorRef input, int64_t dim, int64_t start, int64_t length) {
  HOB_EMIT_NOTE(2, "aten::narrow(Tensor(a) self, int dim, SymInt start, SymInt length) -> Tensor(a)");
  static Op op("aten::narrow", "");
  return op.tensor({input, dim, start, length});
}

// aten::cat(Tensor[] tensors, int dim=0) -> Tensor
inline Tensor cat(ListRef tensors, int64_t dim = 0) {
  HOB_EMIT_NOTE(2, "aten::cat(Tensor[] tensors, int dim=0) -> Tensor");
  static Op op("aten::cat", "");
  return op.tensor({tensors, dim});
}

// aten::stack(Tensor[] tensors, int dim=0) -> Tensor
inline Tensor stack(ListRef tensors, int64_t dim = 0) {
  HOB_EMIT_NOTE(2, "aten::stack(Tensor[] tensors, int dim=0) -> Tensor");
  static Op op("aten::stack", "");
  return op.tensor({tensors, dim});
}

// aten::linalg_vector_norm(Tensor self, Scalar ord=2, int[1]? dim=None, bool keepdim=False, *, ScalarType? dtype=None) -> Tensor
inline Tensor linalg_vector_norm(TensorRef input, double ord = 2, std::optional<Ints> dim = std::nullopt, bool keepdim = false, std::optional<int32_t> dtype = std::nullopt) {
  HOB_EMIT_NOTE(2, "aten::linalg_vector_norm(Tensor self, Scalar ord=2, int[1]? dim=None, bool keepdim=False, *, ScalarType? dtype=None) -> Tensor");
  static Op op("aten::linalg_vector_norm", "");
  return op.tensor({input, Argument::scalar(ord), dim, keepdim, Argument::dtype(dtype)});
}

// aten::_foreach_add_.Scalar(Tensor(a!)[] self, Scalar scalar) -> ()
inline void foreach_add_(ListRef input, double scalar) {
  HOB_EMIT_NOTE(2, "aten::_foreach_add_.Scalar(Tensor(a!)[] self, Scalar scalar) -> ()");
  static Op op("aten::_foreach_add_", "Scalar");
  op.run({input, Argument::scalar(scalar)});
}

// aten::_foreach_add_.List(Tensor(a!)[] self, Tensor[] other, *, Scalar alpha=1) -> ()
inline void foreach_add_(ListRef input, ListRef other, double alpha = 1) {
  HOB_EMIT_NOTE(2, "aten::_foreach_add_.List(Tensor(a!)[] self, Tensor[] other, *, Scalar alpha=1) -> ()");
  static Op op("aten::_foreach_add_", "List");
  op.run({input, other, Argument::scalar(alpha)});
}

// aten::_foreach_add_.Tensor(Tensor(a!)[] self, Tensor other, *, Scalar alpha=1) -> ()
inline void foreach_add_(ListRef input, TensorRef other, double alpha = 1) {
  HOB_EMIT_NOTE(2, "aten::_foreach_add_.Tensor(Tensor(a!)[] self, Tensor other, *, Scalar alpha=1) -> ()");
  static Op op("aten::_foreach_add_", "Tensor");
  op.run({input, other, Argument::scalar(alpha)});
}

// aten::_foreach_add.List(Tensor[] self, Tensor[] other, *, Scalar alpha=1) -> Tensor[]
inline TensorList foreach_add(ListRef input, ListRef other, double alpha = 1) {
  HOB_EMIT_NOTE(2, "aten::_foreach_add.List(Tensor[] self, Tensor[] other, *, Scalar alpha=1) -> Tensor[]");
  static Op op("aten::_foreach_add", "List");
  return op.list({input, other, Argument::scalar(alpha)});
}

// aten::_foreach_sub_.List(Tensor(a!)[] self, Tensor[] other, *, Scalar alpha=1) -> ()
inline void foreach_sub_(ListRef input, ListRef other, double alpha = 1) {
  HOB_EMIT_NOTE(2, "aten::_foreach_sub_.List(Tensor(a!)[] self, Tensor[] other, *, Scalar alpha=1) -> ()");
  static Op op("aten::_foreach_sub_", "List");
  op.run({input, other, Argument::scalar(alpha)});
}

// aten::_foreach_sub.List(Tensor[] self, Tensor[] other, *, Scalar alpha=1) -> Tensor[]
inline TensorList foreach_sub(ListRef input, ListRef other, double alpha = 1) {
  HOB_EMIT_NOTE(2, "aten::_foreach_sub.List(Tensor[] self, Tensor[] other, *, Scalar alpha=1) -> Tensor[]");
  static Op op("aten::_foreach_sub", "List");
  return op.list({input, other, Argument::scalar(alpha)});
}

// aten::_foreach_mul_.Scalar(Tensor(a!)[] self, Scalar scalar) -> ()
inline void foreach_mul_(ListRef input, double scalar) {
  HOB_EMIT_NOTE(2, "aten::_foreach_mul_.Scalar(Tensor(a!)[] self, Scalar scalar) -> ()");
  static Op op("aten::_foreach_mul_", "Scalar");
  op.run({input, Argument::scalar(scalar)});
}

// aten::_foreach_mul_.List(Tensor(a!)[] self, Tensor[] other) -> ()
inline void foreach_mul_(ListRef input, ListRef other) {
  HOB_EMIT_NOTE(2, "aten::_foreach_mul_.List(Tensor(a!)[] self, Tensor[] other) -> ()");
  static Op op("aten::_foreach_mul_", "List");
  op.run({input, other});
}

// aten::_foreach_mul_.Tensor(Tensor(a!)[] self, Tensor other) -> ()
inline void foreach_mul_(ListRef input, TensorRef other) {
  HOB_EMIT_NOTE(2, "aten::_foreach_mul_.Tensor(Tensor(a!)[] self, Tensor other) -> ()");
  static Op op("aten::_foreach_mul_", "Tensor");
  op.run({input, other});
}

// aten::_foreach_mul.Scalar(Tensor[] self, Scalar scalar) -> Tensor[]
inline TensorList foreach_mul(ListRef input, double scalar) {
  HOB_EMIT_NOTE(2, "aten::_foreach_mul.Scalar(Tensor[] self, Scalar scalar) -> Tensor[]");
  static Op op("aten::_foreach_mul", "Scalar");
  return op.list({input, Argument::scalar(scalar)});
}

// aten::_foreach_mul.List(Tensor[] self, Tensor[] other) -> Tensor[]
inline TensorList foreach_mul(ListRef input, ListRef other) {
  HOB_EMIT_NOTE(2, "aten::_foreach_mul.List(Tensor[] self, Tensor[] other) -> Tensor[]");
  static Op op("aten::_foreach_mul", "List");
  return op.list({input, other});
}

// aten::_foreach_div_.List(Tensor(a!)[] self, Tensor[] other) -> ()
inline void foreach_div_(ListRef input, ListRef other) {
  HOB_EMIT_NOTE(2, "aten::_foreach_div_.List(Tensor(a!)[] self, Tensor[] other) -> ()");
  static Op op("aten::_foreach_div_", "List");
  op.run({input, other});
}

// aten::_foreach_lerp_.Scalar(Tensor(a!)[] self, Tensor[] tensors1, Scalar weight) -> ()
inline void foreach_lerp_(ListRef input, ListRef tensors1, double weight) {
  HOB_EMIT_NOTE(2, "aten::_foreach_lerp_.Scalar(Tensor(a!)[] self, Tensor[] tensors1, Scalar weight) -> ()");
  static Op op("aten::_foreach_lerp_", "Scalar");
  op.run({input, tensors1, Argument::scalar(weight)});
}

// aten::_foreach_lerp.Scalar(Tensor[] self, Tensor[] tensors1, Scalar weight) -> Tensor[]
inline TensorList foreach_lerp(ListRef input, ListRef tensors1, double weight) {
  HOB_EMIT_NOTE(2, "aten::_foreach_lerp.Scalar(Tensor[] self, Tensor[] tensors1, Scalar weight) -> Tensor[]");
  static Op op("aten::_foreach_lerp", "Scalar");
  return op.list({input, tensors1, Argument::scalar(weight)});
}

// aten::_foreach_addcmul_.Scalar(Tensor(a!)[] self, Tensor[] tensor1, Tensor[] tensor2, Scalar value=1) -> ()
inline void foreach_addcmul_(ListRef input, ListRef tensor1, ListRef tensor2, double value = 1) {
  HOB_EMIT_NOTE(2, "aten::_foreach_addcmul_.Scalar(Tensor(a!)[] self, Tensor[] tensor1, Tensor[] tensor2, Scalar value=1) -> ()");
  static Op op("aten::_foreach_addcmul_", "Scalar");
  op.run({input, tensor1, tensor2, Argument::scalar(value)});
}

// aten::_foreach_addcdiv_.Scalar(Tensor(a!)[] self, Tensor[] tensor1, Tensor[] tensor2, Scalar value=1) -> ()
inline void foreach_addcdiv_(ListRef input, ListRef tensor1, ListRef tensor2, double value = 1) {
  HOB_EMIT_NOTE(2, "aten::_foreach_addcdiv_.Scalar(Tensor(a!)[] self, Tensor[] tensor1, Tensor[] tensor2, Scalar value=1) -> ()");
  static Op op("aten::_foreach_addcdiv_", "Scalar");
  op.run({input, tensor1, tensor2, Argument::scalar(value)});
}

// aten::_foreach_sqrt(Tensor[] self) -> Tensor[]
inline TensorList foreach_sqrt(ListRef input) {
  HOB_EMIT_NOTE(2, "aten::_foreach_sqrt(Tensor[] self) -> Tensor[]");
  static Op op("aten::_foreach_sqrt", "");
  return op.list({input});
}

// aten::_foreach_sign(Tensor[] self) -> Tensor[]
inline TensorList foreach_sign(ListRef input) {
  HOB_EMIT_NOTE(2, "aten::_foreach_sign(Tensor[] self) -> Tensor[]");
  static Op op("aten::_foreach_sign", "");
  return op.list({input});
}

// aten::_foreach_sign_(Tensor(a!)[] self) -> ()
inline void foreach_sign_(ListRef input) {
  HOB_EMIT_NOTE(2, "aten::_foreach_sign_(Tensor(a!)[] self) -> ()");
  static Op op("aten::_foreach_sign_", "");
  op.run({input});
}

// aten::_foreach_neg_(Tensor(a!)[] self) -> ()
inline void foreach_neg_(ListRef input) {
  HOB_EMIT_NOTE(2, "aten::_foreach_neg_(Tensor(a!)[] self) -> ()");
  static Op op("aten::_foreach_neg_", "");
  op.run({input});
}

// aten::_foreach_norm.Scalar(Tensor[] self, Scalar ord=2, ScalarType? dtype=None) -> Tensor[]
inline TensorList foreach_norm(ListRef input, double ord = 2, std::optional<int32_t> dtype = std::nullopt) {
  HOB_EMIT_NOTE(2, "aten::_foreach_norm.Scalar(Tensor[] self, Scalar ord=2, ScalarType? dtype=None) -> Tensor[]");
  static Op op("aten::_foreach_norm", "Scalar");
  return op.list({input, Argument::scalar(ord), Argument::dtype(dtype)});
}

// aten::_foreach_copy_(Tensor(a!)[] self, Tensor[] src, bool non_blocking=False) -> ()
inline void foreach_copy_(ListRef input, ListRef src, bool non_blocking = false) {
  HOB_EMIT_NOTE(2, "aten::_foreach_copy_(Tensor(a!)[] self, Tensor[] src, bool non_blocking=False) -> ()");
  static Op op("aten::_foreach_copy_", "");
  op.run({input, src, non_blocking});
}

// aten::_foreach_zero_(Tensor(a!)[] self) -> ()
inline void foreach_zero_(ListRef input) {
  HOB_EMIT_NOTE(2, "aten::_foreach_zero_(Tensor(a!)[] self) -> ()");
  static Op op("aten::_foreach_zero_", "");
  op.run({input});
}

// aten::_fused_adamw_(Tensor(a!)[] self, Tensor(b!)[] grads, Tensor(c!)[] exp_avgs, Tensor(d!)[] exp_avg_sqs, Tensor(e!)[] max_exp_avg_sqs, Tensor[] state_steps, *, float lr, float beta1, float beta2, float weight_decay, float eps, bool amsgrad, bool maximize, Tensor? grad_scale=None, Tensor? found_inf=None) -> ()
inline void fused_adamw_(ListRef input, ListRef grads, ListRef exp_avgs, ListRef exp_avg_sqs, ListRef max_exp_avg_sqs, ListRef state_steps, double lr, double beta1, double beta2, double weight_decay, double eps, bool amsgrad, bool maximize, TensorRef grad_scale = {}, TensorRef found_inf = {}) {
  HOB_EMIT_NOTE(2, "aten::_fused_adamw_(Tensor(a!)[] self, Tensor(b!)[] grads, Tensor(c!)[] exp_avgs, Tensor(d!)[] exp_avg_sqs, Tensor(e!)[] max_exp_avg_sqs, Tensor[] state_steps, *, float lr, float beta1, float beta2, float weight_decay, float eps, bool amsgrad, bool maximize, Tensor? grad_scale=None, Tensor? found_inf=None) -> ()");
  static Op op("aten::_fused_adamw_", "");
  op.run({input, grads, exp_avgs, exp_avg_sqs, max_exp_avg_sqs, state_steps, lr, beta1, beta2, weight_decay, eps, amsgrad, maximize, grad_scale, found_inf});
}

// aten::_fused_adam_(Tensor(a!)[] self, Tensor(b!)[] grads, Tensor(c!)[] exp_avgs, Tensor(d!)[] exp_avg_sqs, Tensor(e!)[] max_exp_avg_sqs, Tensor[] state_steps, *, float lr, float beta1, float beta2, float weight_decay, float eps, bool amsgrad, bool maximize, Tensor? grad_scale=None, Tensor? found_inf=None) -> ()
inline void fused_adam_(ListRef input, ListRef grads, ListRef exp_avgs, ListRef exp_avg_sqs, ListRef max_exp_avg_sqs, ListRef state_steps, double lr, double beta1, double beta2, double weight_decay, double eps, bool amsgrad, bool maximize, TensorRef grad_scale = {}, TensorRef found_inf = {}) {
  HOB_EMIT_NOTE(2, "aten::_fused_adam_(Tensor(a!)[] self, Tensor(b!)[] grads, Tensor(c!)[] exp_avgs, Tensor(d!)[] exp_avg_sqs, Tensor(e!)[] max_exp_avg_sqs, Tensor[] state_steps, *, float lr, float beta1, float beta2, float weight_decay, float eps, bool amsgrad, bool maximize, Tensor? grad_scale=None, Tensor? found_inf=None) -> ()");
  static Op op("aten::_fused_adam_", "");
  op.run({input, grads, exp_avgs, exp_avg_sqs, max_exp_avg_sqs, state_steps, lr, beta1, beta2, weight_decay, eps, amsgrad, maximize, grad_scale, found_inf});
}

// aten::_fused_sgd_(Tensor(a!)[] self, Tensor(b!)[] grads, Tensor(c!)[] momentum_buffer_list, *, float weight_decay, float momentum, float lr, float dampening, bool nesterov, bool maximize, bool is_first_step, Tensor? grad_scale=None, Tensor? found_inf=None) -> ()
inline void fused_sgd_(ListRef input, ListRef grads, ListRef momentum_buffer_list, double weight_decay, double momentum, double lr, double dampening, bool nesterov, bool maximize, bool is_first_step, TensorRef grad_scale = {}, TensorRef found_inf = {}) {
  HOB_EMIT_NOTE(2, "aten::_fused_sgd_(Tensor(a!)[] self, Tensor(b!)[] grads, Tensor(c!)[] momentum_buffer_list, *, float weight_decay, float momentum, float lr, float dampening, bool nesterov, bool maximize, bool is_first_step, Tensor? grad_scale=None, Tensor? found_inf=None) -> ()");
  static Op op("aten::_fused_sgd_", "");
  op.run({input, grads, momentum_buffer_list, weight_decay, momentum, lr, dampening, nesterov, maximize, is_first_step, grad_scale, found_inf});
}

// aten::_fused_adagrad_(Tensor(a!)[] self, Tensor(b!)[] grads, Tensor(c!)[] state_sums, Tensor(d!)[] state_steps, *, float lr, float lr_decay, float weight_decay, float eps, bool maximize, Tensor? grad_scale=None, Tensor? found_inf=None) -> ()
inline void fused_adagrad_(ListRef input, ListRef grads, ListRef state_sums, ListRef state_steps, double lr, double lr_decay, double weight_decay, double eps, bool maximize, TensorRef grad_scale = {}, TensorRef found_inf = {}) {
  HOB_EMIT_NOTE(2, "aten::_fused_adagrad_(Tensor(a!)[] self, Tensor(b!)[] grads, Tensor(c!)[] state_sums, Tensor(d!)[] state_steps, *, float lr, float lr_decay, float weight_decay, float eps, bool maximize, Tensor? grad_scale=None, Tensor? found_inf=None) -> ()");
  static Op op("aten::_fused_adagrad_", "");
  op.run({input, grads, state_sums, state_steps, lr, lr_decay, weight_decay, eps, maximize, grad_scale, found_inf});
}

}  // namespace hob
