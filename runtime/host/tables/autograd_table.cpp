#include <ATen/core/grad_mode.h>
#include <ATen/record_function.h>
#include <torch/csrc/autograd/custom_function.h>

#include <utility>

#include "host/tables/run_scope.h"
#include "host/tables/tables.h"

// hob.autograd/1: gradient recording, and functions with their own backward.

// One call of a function's forward or backward.
struct hob_saved {
  torch::autograd::AutogradContext* context = nullptr;
  bool is_forward = false;
  bool was_saved = false;
  std::vector<at::Tensor> tensors = {};  // in backward
};

namespace hob::host {
namespace {

using Tensors = std::vector<at::Tensor>;
constexpr uint32_t kMaxInputs = 64;  // the bits of `needed`

// A plugin's function and its user data, which are dropped once, whatever happens.
struct Callee : torch::CustomClassHolder {
  Callee(const hob_function& function, void* user) : function(function), user(user) {}
  ~Callee() override {
    if (function.drop) function.drop(user);
  }

  std::string name() const { return function.name ? function.name : "unnamed"; }

  const hob_function& function;
  void* user;
  std::vector<bool> is_given;  // an input may be absent
};

// Adds the function's name to what a plugin's call reports.
void check_call(hob_error* error, const std::string& place) {
  if (!error) return;
  add_place(*error, place);
  check(error);
}

hob_tensor* borrow_or_null(const at::Tensor& tensor) {
  return tensor.defined() ? borrow(tensor) : nullptr;
}

constexpr const char* kCallee = "callee";

class PluginFunction : public torch::autograd::Function<PluginFunction> {
 public:
  static Tensors forward(torch::autograd::AutogradContext* context, at::TensorList given,
                         const c10::intrusive_ptr<Callee>& callee) {
    context->saved_data[kCallee] = c10::IValue::make_capsule(callee);
    context->set_materialize_grads(false);
    std::vector<hob_tensor*> inputs;
    auto next = given.begin();
    for (const bool is_given : callee->is_given) {
      inputs.push_back(is_given ? borrow(*next++) : nullptr);
    }
    const hob_function& function = callee->function;
    std::vector<hob_tensor*> handles(function.n_outputs, nullptr);
    hob_saved saved{.context = context, .is_forward = true};
    {
      RECORD_USER_SCOPE(callee->name());
      check_call(function.forward(callee->user, &saved, inputs.data(), handles.data()),
                 "function '" + callee->name() + "'");
    }
    Tensors outputs;
    for (hob_tensor* handle : handles) outputs.push_back(handle ? take(handle) : at::Tensor());
    for (const at::Tensor& output : outputs) {
      if (!output.defined()) refuse("function '" + callee->name() + "' left an output NULL");
    }
    return outputs;
  }

  static Tensors backward(torch::autograd::AutogradContext* context, Tensors grad_outputs) {
    const auto callee =
        c10::static_intrusive_pointer_cast<Callee>(context->saved_data[kCallee].toCapsule());
    hob_saved saved{.context = context, .tensors = context->get_saved_variables()};
    std::vector<hob_tensor*> gradients;
    for (const at::Tensor& gradient : grad_outputs) gradients.push_back(borrow_or_null(gradient));
    std::vector<hob_tensor*> handles(callee->is_given.size(), nullptr);
    {
      RECORD_USER_SCOPE(callee->name());
      const at::AutoGradMode record(false);
      check_call(callee->function.backward(callee->user, &saved, gradients.data(),
                                           needed(*context, callee->is_given), handles.data()),
                 "backward of function '" + callee->name() + "'");
    }
    Tensors grad_inputs;
    for (size_t i = 0; i < handles.size(); ++i) {
      at::Tensor gradient = handles[i] ? take(handles[i]) : at::Tensor();
      if (callee->is_given[i]) grad_inputs.push_back(std::move(gradient));
    }
    grad_inputs.emplace_back();  // of the callee
    return grad_inputs;
  }

 private:
  static uint64_t needed(const torch::autograd::AutogradContext& context,
                         const std::vector<bool>& is_given) {
    uint64_t bits = 0;
    size_t edge = 0;
    for (size_t i = 0; i < is_given.size(); ++i) {
      if (is_given[i] && context.needs_input_grad(edge++)) bits |= uint64_t{1} << i;
    }
    return bits;
  }
};

void check_function(const hob_function& function) {
  const std::string name = function.name ? function.name : "unnamed";
  const auto fail = [&](const std::string& what) { refuse("function '" + name + "' " + what); };
  if (!function.forward || !function.backward) fail("has no forward or no backward");
  if (function.n_inputs > kMaxInputs) {
    fail("has " + std::to_string(function.n_inputs) + " inputs, at most 64 are possible");
  }
  if (function.n_outputs == 0) fail("has no outputs");
}

int32_t grad_mode(int32_t on) noexcept {
  const bool before = at::GradMode::is_enabled();
  at::GradMode::set_enabled(on != 0);
  return before ? 1 : 0;
}

hob_error* apply(const hob_function* function, void* user, hob_tensor* const* inputs,
                 hob_tensor** outputs) noexcept {
  return guard([&] {
    const auto callee = c10::make_intrusive<Callee>(required(function, "the function"), user);
    check_function(*function);
    Tensors given;
    for (uint32_t i = 0; i < function->n_inputs; ++i) {
      callee->is_given.push_back(inputs[i] != nullptr);
      if (inputs[i]) given.push_back(tensor_of(inputs[i]));
    }
    Tensors results = PluginFunction::apply(at::TensorList(given), callee);
    for (size_t i = 0; i < results.size(); ++i) outputs[i] = give(std::move(results[i]));
  });
}

hob_error* save(hob_saved* saved, hob_tensor* const* tensors, uint32_t count) noexcept {
  return guard([&] {
    if (!saved->is_forward) refuse("tensors are saved in backward; they can be in forward only");
    if (saved->was_saved) refuse("tensors are saved twice; give all of them in one call");
    saved->was_saved = true;
    Tensors kept(count);
    for (uint32_t i = 0; i < count; ++i) {
      if (tensors[i]) kept[i] = tensor_of(tensors[i]);
    }
    saved->context->save_for_backward(std::move(kept));
  });
}

hob_error* get_saved(hob_saved* saved, uint32_t index, hob_tensor** out) noexcept {
  return guard([&] {
    if (saved->is_forward)
      refuse("saved tensors are read in forward; they can be in backward only");
    if (index >= saved->tensors.size()) {
      refuse("saved tensor " + std::to_string(index) + " of " +
             std::to_string(saved->tensors.size()));
    }
    const at::Tensor& tensor = saved->tensors[index];
    *out = tensor.defined() ? give(tensor) : nullptr;
  });
}

}  // namespace

const hob_autograd kAutogradTable = {
    .struct_size = sizeof(hob_autograd),
    .reserved = 0,
    .grad_mode = grad_mode,
    .apply = apply,
    .save = save,
    .saved = get_saved,
};

}  // namespace hob::host
