#pragma once

#include <ATen/core/Tensor.h>
#include <hob/abi/types.h>

#include <string>
#include <utility>
#include <vector>

// How the host's C++ objects stand behind the handles of the ABI.

// A list of tensors that operators take as it is. Reference-counted by hand: the count starts at 1.
struct hob_list;

struct hob_error {
  int32_t code = HOB_ERROR_FAILED;
  std::string text{};
  bool placed = false;     // the text already says where it happened
  std::string instance{};  // in which one it happened, "compression.0 (lora)"; "" while unknown
};

namespace hob::host {

// A tensor's handle is the address of an at::Tensor, as LibTorch's own AtenTensorHandle is.
inline at::Tensor& tensor_of(hob_tensor* handle) {
  return *reinterpret_cast<at::Tensor*>(handle);
}
inline const at::Tensor& tensor_of(const hob_tensor* handle) {
  return *reinterpret_cast<const at::Tensor*>(handle);
}
// A handle that is valid as long as `tensor` is.
inline hob_tensor* borrow(const at::Tensor& tensor) {
  return reinterpret_cast<hob_tensor*>(const_cast<at::Tensor*>(&tensor));
}
// A new reference, that the receiver releases; and the end of one.
inline hob_tensor* give(at::Tensor tensor) {
  return reinterpret_cast<hob_tensor*>(new at::Tensor(std::move(tensor)));
}
at::Tensor take(hob_tensor* handle);

// The host's own lists. `make_list` gives a new reference. An undefined tensor stands for an absent
// one, which only operators with optional tensors in their list take.
hob_list* make_list(std::vector<at::Tensor> tensors);
std::vector<at::Tensor> tensors_of(const hob_list* list);
void release_list(hob_list* list);

// Holds one reference to a list.
class ListHandle {
 public:
  ListHandle() = default;
  explicit ListHandle(hob_list* owned) : list_(owned) {}
  ListHandle(ListHandle&& other) noexcept : list_(std::exchange(other.list_, nullptr)) {}
  ListHandle& operator=(ListHandle&& other) noexcept {
    std::swap(list_, other.list_);
    return *this;
  }
  ~ListHandle() { release_list(list_); }
  hob_list* get() const { return list_; }

 private:
  hob_list* list_ = nullptr;
};

}  // namespace hob::host
