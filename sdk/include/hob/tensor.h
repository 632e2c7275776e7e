#pragma once

#include <hob/host.h>

#include <cstdint>
#include <span>
#include <stdexcept>
#include <vector>

// Tensors and lists of tensors of the host, for plugins of the stable tier.

namespace hob {

// "(3, 32, 32)"
inline std::string shape_text(std::span<const int64_t> shape) {
  std::string text = "(";
  for (size_t i = 0; i < shape.size(); ++i) text += (i ? ", " : "") + std::to_string(shape[i]);
  return text + ")";
}

// A borrowed tensor, or none: the type of operators' arguments. Ends with the call it came with.
class TensorRef {
 public:
  TensorRef() = default;
  TensorRef(hob_tensor* handle) : handle_(handle) {}  // NOLINT: implicit, as std::string_view is

  hob_tensor* handle() const { return handle_; }
  explicit operator bool() const { return handle_ != nullptr; }
  int64_t dim() const { return core().tensor_dim(handle_); }
  int64_t size(int64_t dim) const { return core().tensor_size(handle_, dim); }
  int64_t numel() const { return core().tensor_numel(handle_); }
  int32_t dtype() const { return core().tensor_dtype(handle_); }
  std::vector<int64_t> sizes() const {
    std::vector<int64_t> result(static_cast<size_t>(dim()));
    for (size_t i = 0; i < result.size(); ++i) result[i] = size(static_cast<int64_t>(i));
    return result;
  }
  // The elements in row-major order; T must have the tensor's element size. Waits for the device.
  template <class T>
  std::vector<T> read() const {
    std::vector<T> result(static_cast<size_t>(numel()));
    check(core().tensor_read(handle_, result.data(), result.size() * sizeof(T)));
    return result;
  }

 protected:
  hob_tensor* handle_ = nullptr;
};

// A tensor that is held: one reference.
class Tensor : public TensorRef {
 public:
  Tensor() = default;
  explicit Tensor(hob_tensor* owned) : TensorRef(owned) {}
  Tensor(const Tensor& other) : TensorRef(retain(other)) {}
  Tensor(Tensor&& other) noexcept : TensorRef(std::exchange(other.handle_, nullptr)) {}
  Tensor& operator=(Tensor other) noexcept {
    std::swap(handle_, other.handle_);
    return *this;
  }
  ~Tensor() {
    if (handle_) core().tensor_release(handle_);
  }

  static Tensor hold(TensorRef tensor) { return Tensor(retain(tensor)); }
  // A copy of row-major host memory, on the CPU.
  static Tensor from(const void* data, int32_t dtype, std::span<const int64_t> sizes) {
    hob_tensor* out = nullptr;
    check(core().tensor_from(data, dtype, sizes.data(), static_cast<uint32_t>(sizes.size()), &out));
    return Tensor(out);
  }
  // Hands the reference over to the host.
  hob_tensor* release() { return std::exchange(handle_, nullptr); }

 private:
  static hob_tensor* retain(TensorRef t) { return t ? core().tensor_retain(t.handle()) : nullptr; }
};

// A borrowed list of tensors: the type of operators' arguments.
class ListRef {
 public:
  ListRef() = default;
  ListRef(hob_list* handle) : handle_(handle) {}  // NOLINT: implicit, as std::string_view is

  hob_list* handle() const { return handle_; }
  uint32_t size() const { return handle_ ? core().list_size(handle_) : 0; }
  bool empty() const { return size() == 0; }
  Tensor operator[](uint32_t index) const {
    hob_tensor* out = nullptr;
    check(core().list_get(handle_, index, &out));
    return Tensor(out);
  }

 protected:
  hob_list* handle_ = nullptr;
};

// A list that is held. The host keeps it ready for operators: make it once, use it at each update.
class TensorList : public ListRef {
 public:
  TensorList() = default;
  explicit TensorList(hob_list* owned) : ListRef(owned) {}
  explicit TensorList(std::span<const TensorRef> tensors) {
    std::vector<hob_tensor*> handles;
    handles.reserve(tensors.size());
    for (TensorRef t : tensors) handles.push_back(t.handle());
    check(core().list_new(handles.data(), static_cast<uint32_t>(handles.size()), &handle_));
  }
  TensorList(const TensorList& other)
      : ListRef(other.handle_ ? core().list_retain(other.handle_) : nullptr) {}
  TensorList(TensorList&& other) noexcept : ListRef(std::exchange(other.handle_, nullptr)) {}
  TensorList& operator=(TensorList other) noexcept {
    std::swap(handle_, other.handle_);
    return *this;
  }
  ~TensorList() {
    if (handle_) core().list_release(handle_);
  }
};

// The tensor of that name among a batch's fields or a model's outputs.
inline TensorRef find(std::span<const hob_named_tensor> tensors, std::string_view name) {
  std::string names;
  for (const hob_named_tensor& t : tensors) {
    if (name == t.name) return t.tensor;
    names += std::string(names.empty() ? "" : ", ") + "'" + t.name + "'";
  }
  throw Error("there is no tensor '" + std::string(name) + "' here; there are: " + names,
              HOB_ERROR_INVALID);
}

}  // namespace hob
