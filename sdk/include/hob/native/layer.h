#pragma once

#include <hob/native/error.h>
#include <hob/native/init.h>
#include <hob/native/scope.h>
#include <hob/sockets.h>

#include <memory>
#include <optional>

namespace hob::native {

using OptionalTensor = std::optional<at::Tensor>;

// A layer whose computation is a socket. Operation computes it:
//   at::Tensor operator()(const at::Tensor& input, const at::Tensor& weight,
//                         const OptionalTensor& bias) const
// and is called directly where no link is on the socket: that costs a test of one word. Weight and
// bias are read from their cells at each call; links may hand over others. An error names the
// layer.
template <class Operation>
class Layer {
 public:
  at::Tensor operator()(const at::Tensor& input) const {
    if (socket_->head) [[unlikely]]
      return through(input);
    try {
      return (*operation_)(input, tensor_of(socket_->weight->value),
                           optional_of(socket_->bias ? socket_->bias->value : nullptr));
    } catch (const c10::Error& error) {
      raise_in(socket_->name, error_of(error));
    }
  }

  hob_socket* socket() const { return socket_; }
  hob_param* weight() const { return socket_->weight; }
  hob_param* bias() const { return socket_->bias; }  // may be null

 protected:
  // To be called with braces, as they order the arguments: the parameters draw random numbers.
  // `attributes`, where the socket's kind has any, is a member of Operation.
  Layer(const Scope& scope, hob_socket_kind kind, hob_param* weight, hob_param* bias,
        Operation operation, const void* (*attributes)(const Operation&) = nullptr)
      : operation_(std::make_unique<Operation>(std::move(operation))) {
    check(sockets_table().add(scope.env(), scope.name().c_str(), kind, weight, bias,
                              attributes ? attributes(*operation_) : nullptr, &base,
                              operation_.get(), &socket_));
  }

 private:
  // The innermost link: the layer itself.
  static hob_error* base(const hob_link* self, const hob_layer_call* call, hob_tensor** out) {
    return guard([&] {
      if (!call->weight) {
        throw Error("the weight is replaced by other parts, and no kernel computes with them");
      }
      const auto* operation = static_cast<const Operation*>(self->user);
      *out = give(
          (*operation)(tensor_of(call->input), tensor_of(call->weight), optional_of(call->bias)));
    });
  }

  [[gnu::noinline]] at::Tensor through(const at::Tensor& input) const {
    const hob_layer_call call{
        .struct_size = sizeof(hob_layer_call),
        .kind = socket_->kind,
        .input = borrow(input),
        .weight = socket_->weight->value,
        .bias = socket_->bias ? socket_->bias->value : nullptr,
        .attributes = socket_->attributes,
    };
    hob_tensor* out = nullptr;
    if (hob_error* error = socket_->head->call(socket_->head, &call, &out)) {
      raise_in(socket_->name, error);
    }
    return take(out);
  }

  std::unique_ptr<Operation> operation_;  // at one address: the host keeps it
  hob_socket* socket_ = nullptr;
};

}  // namespace hob::native
