#pragma once

#include <ATen/core/Tensor.h>

#include <hob/host.h>
#include <hob/tensor.h>

#include <optional>

// The native tier: the handles of the SDK are at::Tensor. Including this binds the plugin to the
// LibTorch that it is built with, and writes that build into the descriptor, so that hob refuses
// the plugin where it runs on another one.

#ifndef HOB_TORCH_VERSION
#error "link hob::native (hob_add_plugin(... NATIVE) does): it defines which LibTorch this is"
#endif

namespace hob::detail {

#define HOB_TEXT_(x) #x
#define HOB_TEXT(x) HOB_TEXT_(x)
// The text passes through the compiler and the assembler: \\\" comes out as a quote.
inline void emit_torch_note() {
  HOB_EMIT_NOTE(4, "{\\\"version\\\":\\\"" HOB_TORCH_VERSION "\\\",\\\"git\\\":\\\"" HOB_TORCH_GIT
                   "\\\",\\\"cuda\\\":\\\"" HOB_TORCH_CUDA
                   "\\\",\\\"cxx11_abi\\\":" HOB_TEXT(_GLIBCXX_USE_CXX11_ABI) "}");
}
// An address that is used keeps the function, and with it the note.
[[gnu::used]] static void (*const torch_note)() = &emit_torch_note;

}  // namespace hob::detail

namespace hob {

inline at::Tensor& tensor_of(hob_tensor* handle) {
  return *reinterpret_cast<at::Tensor*>(handle);
}

// A handle that is valid as long as `tensor` is.
inline hob_tensor* borrow(const at::Tensor& tensor) {
  return reinterpret_cast<hob_tensor*>(const_cast<at::Tensor*>(&tensor));
}
// A new reference, for the host to release.
inline hob_tensor* give(at::Tensor tensor) {
  return reinterpret_cast<hob_tensor*>(new at::Tensor(std::move(tensor)));
}
// The tensor of a reference that the host gave, which ends with it.
inline at::Tensor take(hob_tensor* handle) {
  at::Tensor result = std::move(tensor_of(handle));
  delete &tensor_of(handle);
  return result;
}
inline std::optional<at::Tensor> optional_of(hob_tensor* handle) {
  return handle ? std::optional<at::Tensor>(tensor_of(handle)) : std::nullopt;
}

}  // namespace hob
