#include <ATen/ATen.h>
#include <ATen/core/grad_mode.h>

#include "tables_fixture.h"

using namespace hob;
using namespace hob::test;

namespace {

// y = x * w + b and z = 2 x, with b absent or given; counts what it is asked for.
struct Function {
  int drops = 0;
  uint64_t needed = 0;
  bool z_had_gradient = false;
  const char* fail_in = "";
};

hob_error* failed(const char* text) {
  return core().error_new(HOB_ERROR_OUT_OF_MEMORY, text, std::string(text).size());
}

hob_error* forward(void* user, hob_saved* saved, hob_tensor* const* inputs, hob_tensor** outputs) {
  if (static_cast<Function*>(user)->fail_in == std::string("forward")) return failed("no room");
  const at::Tensor& x = host::tensor_of(inputs[0]);
  const at::Tensor& w = host::tensor_of(inputs[1]);
  CHECK_FALSE(at::GradMode::is_enabled());
  hob_tensor* const kept[] = {inputs[0], inputs[1], nullptr};
  if (hob_error* error = autograd().save(saved, kept, 3)) return error;
  fails(autograd().save(saved, kept, 3), HOB_ERROR_INVALID, "saved twice");
  hob_tensor* none = nullptr;
  fails(autograd().saved(saved, 0, &none), HOB_ERROR_INVALID, "read in forward");
  at::Tensor y = x * w;
  if (inputs[2]) y = y + host::tensor_of(inputs[2]);
  outputs[0] = host::give(y);
  outputs[1] = host::give(x * 2);
  return nullptr;
}

hob_error* backward(void* user, hob_saved* saved, hob_tensor* const* grad_outputs, uint64_t needed,
                    hob_tensor** grad_inputs) {
  auto& function = *static_cast<Function*>(user);
  if (function.fail_in == std::string("backward")) return failed("no room");
  function.needed = needed;
  function.z_had_gradient = grad_outputs[1] != nullptr;
  hob_tensor *x = nullptr, *w = nullptr, *absent = nullptr;
  ok(autograd().saved(saved, 0, &x));
  ok(autograd().saved(saved, 1, &w));
  ok(autograd().saved(saved, 2, &absent));
  CHECK(absent == nullptr);
  fails(autograd().saved(saved, 3, &absent), HOB_ERROR_INVALID, "saved tensor 3 of 3");
  fails(autograd().save(saved, nullptr, 0), HOB_ERROR_INVALID, "saved in backward");
  const at::Tensor saved_x = take(x), saved_w = take(w);
  const at::Tensor& grad = host::tensor_of(grad_outputs[0]);
  if (needed & 1) grad_inputs[0] = host::give(grad * saved_w);
  if (needed & 2) grad_inputs[1] = host::give(grad * saved_x);
  if (needed & 4) grad_inputs[2] = host::give(grad);
  return nullptr;
}

hob_function table() {
  return {sizeof(hob_function), 3, 2, 0, "scale", forward, backward, [](void* user) {
            ++static_cast<Function*>(user)->drops;
          }};
}

at::Tensor leaf(std::initializer_list<int64_t> sizes) {
  return at::randn(sizes).set_requires_grad(true);
}

}  // namespace

TEST_CASE("a function's own backward is used, for the inputs that want it", "[tables]") {
  const hob_function scale = table();
  Function user;
  const at::Tensor x = at::randn({3}), w = leaf({3}), b = leaf({3});
  hob_tensor* const inputs[] = {borrow(x), borrow(w), borrow(b)};
  hob_tensor* outputs[2] = {};
  ok(autograd().apply(&scale, &user, inputs, outputs));
  {
    const at::Tensor y = take(outputs[0]), z = take(outputs[1]);
    CHECK(at::equal(y.detach(), x * w.detach() + b.detach()));
    CHECK(user.drops == 0);
    y.sum().backward();
  }
  CHECK(user.drops == 1);
  CHECK(user.needed == 6);  // x is frozen
  CHECK_FALSE(user.z_had_gradient);
  CHECK(at::equal(w.grad(), x));
  CHECK(at::equal(b.grad(), at::ones({3})));
}

TEST_CASE("an absent input shifts nothing", "[tables]") {
  const hob_function scale = table();
  Function user;
  const at::Tensor x = leaf({3}), w = leaf({3});
  hob_tensor* const inputs[] = {borrow(x), borrow(w), nullptr};
  hob_tensor* outputs[2] = {};
  ok(autograd().apply(&scale, &user, inputs, outputs));
  take(outputs[0]).sum().backward();
  core().tensor_release(outputs[1]);
  CHECK(user.needed == 3);
  CHECK(at::equal(x.grad(), w.detach()));
  CHECK(at::equal(w.grad(), x.detach()));
  CHECK(user.drops == 1);
}

TEST_CASE("without recording a function runs forward, and is dropped at once", "[tables]") {
  const hob_function scale = table();
  Function user;
  const at::Tensor x = leaf({3}), w = leaf({3});
  hob_tensor* const inputs[] = {borrow(x), borrow(w), nullptr};
  hob_tensor* outputs[2] = {};
  CHECK(autograd().grad_mode(0) == 1);
  ok(autograd().apply(&scale, &user, inputs, outputs));
  CHECK(autograd().grad_mode(1) == 0);
  CHECK_FALSE(take(outputs[0]).requires_grad());
  core().tensor_release(outputs[1]);
  CHECK(user.drops == 1);
}

TEST_CASE("a failing function keeps its code, says where, and is dropped once", "[tables]") {
  const hob_function scale = table();
  const at::Tensor x = leaf({3}), w = leaf({3});
  hob_tensor* const inputs[] = {borrow(x), borrow(w), nullptr};
  hob_tensor* outputs[2] = {};
  Function in_forward{.fail_in = "forward"};
  fails(autograd().apply(&scale, &in_forward, inputs, outputs), HOB_ERROR_OUT_OF_MEMORY,
        "no room [function 'scale']");
  CHECK(in_forward.drops == 1);

  Function in_backward{.fail_in = "backward"};
  ok(autograd().apply(&scale, &in_backward, inputs, outputs));
  try {
    take(outputs[0]).sum().backward();
    FAIL("it did not throw");
  } catch (const host::PluginError& error) {
    CHECK(error.what() == std::string("no room [backward of function 'scale']"));
    CHECK(error.code() == HOB_ERROR_OUT_OF_MEMORY);
  }
  core().tensor_release(outputs[1]);
  CHECK(in_backward.drops == 1);
}

TEST_CASE("a gradient of a wrong shape is LibTorch's error", "[tables]") {
  hob_function wrong = table();
  wrong.backward = [](void*, hob_saved*, hob_tensor* const*, uint64_t, hob_tensor** grad_inputs) {
    grad_inputs[0] = host::give(at::ones({7}));
    return static_cast<hob_error*>(nullptr);
  };
  Function user;
  const at::Tensor x = leaf({3}), w = leaf({3});
  hob_tensor* const inputs[] = {borrow(x), borrow(w), nullptr};
  hob_tensor* outputs[2] = {};
  ok(autograd().apply(&wrong, &user, inputs, outputs));
  core().tensor_release(outputs[1]);
  CHECK_THROWS_WITH(take(outputs[0]).sum().backward(),
                    Catch::Matchers::ContainsSubstring("invalid gradient at index 0"));
}

TEST_CASE("a malformed function is refused, and its user data dropped", "[tables]") {
  const at::Tensor x = leaf({3});
  hob_tensor* const inputs[] = {borrow(x), borrow(x), nullptr};
  hob_tensor* outputs[2] = {};
  const auto refused = [&](const char* text, auto&& change) {
    hob_function function = table();
    change(function);
    Function user;
    fails(autograd().apply(&function, &user, inputs, outputs), HOB_ERROR_INVALID, text);
    CHECK(user.drops == 1);
  };
  refused("has no forward or no backward", [](hob_function& f) { f.backward = nullptr; });
  refused("has 65 inputs", [](hob_function& f) { f.n_inputs = 65; });
  refused("has no outputs", [](hob_function& f) { f.n_outputs = 0; });
  refused("left an output NULL", [](hob_function& f) {
    f.forward = [](void*, hob_saved*, hob_tensor* const*, hob_tensor**) {
      return static_cast<hob_error*>(nullptr);
    };
  });
  fails(autograd().apply(nullptr, nullptr, inputs, outputs), HOB_ERROR_INVALID, "NULL");
}
