#include <ATen/ops/equal.h>
#include <ATen/ops/linear.h>
#include <ATen/ops/ones.h>
#include <ATen/ops/randn.h>

#include "tables_fixture.h"

using namespace hob;
using namespace hob::test;
using Names = std::vector<std::string>;

namespace {

std::string calls;  // what ran, in order

hob_error* linear(const hob_link*, const hob_layer_call* call, hob_tensor** out) {
  calls += "layer ";
  return host::guard([&] {
    *out = host::give(at::linear(host::tensor_of(call->input), host::tensor_of(call->weight)));
  });
}

// A link that notes its letter and passes the call on.
template <char kLetter>
hob_error* pass_on(const hob_link* self, const hob_layer_call* call, hob_tensor** out) {
  calls += kLetter;
  calls += ' ';
  return self->next->call(self->next, call, out);
}

// As LoRA does, in plain C: output of the rest, plus (input A^T) B^T.
struct Adapter {
  at::Tensor a, b;
};
hob_error* adapter(const hob_link* self, const hob_layer_call* call, hob_tensor** out) {
  const auto& weights = *static_cast<const Adapter*>(self->user);
  static const Operator linear_op("aten::linear", ""), add_("aten::add_", "Tensor");
  const hob_value input = {HOB_VALUE_TENSOR, 0, {.tensor = call->input}};
  hob_value low{}, high{};
  hob_tensor* base = nullptr;
  hob_error* error = self->next->call(self->next, call, &base);
  if (!error) error = linear_op.run({input, value(weights.a)}, &low, 1);
  if (!error) error = linear_op.run({low, value(weights.b)}, &high, 1);
  if (!error) error = add_.run({{HOB_VALUE_TENSOR, 0, {.tensor = base}}, high});
  core().tensor_release(low.as.tensor);
  core().tensor_release(high.as.tensor);
  if (error) {
    core().tensor_release(base);
  } else {
    *out = base;
  }
  return error;
}

// The inline path of a model's layer.
hob_error* forward(const hob_socket* socket, const at::Tensor& input, hob_tensor** out) {
  const hob_layer_call call = {sizeof call,           socket->kind, borrow(input),
                               socket->weight->value, nullptr,      socket->attributes};
  if (!socket->head) return linear(nullptr, &call, out);
  return socket->head->call(socket->head, &call, out);
}

at::Tensor result_of(const hob_socket* socket, const at::Tensor& input) {
  hob_tensor* out = nullptr;
  calls.clear();
  ok(forward(socket, input, &out));
  return take(out);
}

struct SocketRun : Run {
  hob_param* weight = add("h.1.attn.qkv.weight", at::randn({129, 512}));
  hob_socket* socket = add_socket("h.1.attn.qkv", weight);
  at::Tensor x = at::randn({2, 512});

  hob_socket* add_socket(const char* name, hob_param* w) {
    hob_socket* out = nullptr;
    ok(sockets().add(&model, name, HOB_SOCKET_LINEAR, w, nullptr, nullptr, linear, nullptr, &out));
    return out;
  }
};

}  // namespace

TEST_CASE("links act by role from the outside in, whatever the order they came in", "[tables]") {
  SocketRun run;
  CHECK(run.socket->head == nullptr);
  const at::Tensor plain = result_of(run.socket, run.x);
  const auto install = [&](hob_env* env, int32_t role, auto* function) {
    ok(sockets().install(env, run.socket, role, function, nullptr));
  };
  install(&run.lora, HOB_LINK_KERNEL, pass_on<'K'>);
  install(&run.lora, HOB_LINK_WEIGHT, pass_on<'W'>);
  install(&run.lora, HOB_LINK_BRANCH, pass_on<'1'>);
  install(&run.mask, HOB_LINK_BRANCH, pass_on<'2'>);
  install(&run.mask, HOB_LINK_OBSERVER, pass_on<'O'>);
  CHECK(at::equal(result_of(run.socket, run.x), plain));
  CHECK(calls == "O 1 2 W K layer ");
  CHECK(run.socket->head->owner == std::string("compression.1"));

  ok(sockets().remove(&run.lora, run.socket));
  result_of(run.socket, run.x);
  CHECK(calls == "O 2 layer ");
  ok(sockets().remove(&run.lora, run.socket));
  ok(sockets().remove(&run.mask, run.socket));
  CHECK(run.socket->head == nullptr);
}

TEST_CASE("a second kernel on a layer is a conflict that names both", "[tables]") {
  SocketRun run;
  ok(sockets().install(&run.lora, run.socket, HOB_LINK_KERNEL, pass_on<'K'>, nullptr));
  fails(sockets().install(&run.mask, run.socket, HOB_LINK_KERNEL, pass_on<'L'>, nullptr),
        HOB_ERROR_INVALID,
        "'compression.1 (mask)' and 'compression.0 (lora)' both want to compute layer "
        "'h.1.attn.qkv'");
}

TEST_CASE("a branch in C equals the same sum in C++, with its gradients", "[tables]") {
  SocketRun run;
  Adapter low{at::randn({8, 512}).set_requires_grad(true),
              at::randn({129, 8}).set_requires_grad(true)};
  ok(sockets().install(&run.lora, run.socket, HOB_LINK_BRANCH, adapter, &low));
  const at::Tensor got = result_of(run.socket, run.x);
  got.square().sum().backward();

  const auto copy = [](const at::Tensor& t) { return t.detach().clone().set_requires_grad(true); };
  const at::Tensor w = copy(value_of(run.weight)), a = copy(low.a), b = copy(low.b);
  const at::Tensor want = at::linear(run.x, w).add_(at::linear(at::linear(run.x, a), b));
  want.square().sum().backward();
  CHECK(at::equal(got, want));
  CHECK(at::equal(value_of(run.weight).grad(), w.grad()));
  CHECK(at::equal(low.a.grad(), a.grad()));
  CHECK(at::equal(low.b.grad(), b.grad()));
}

TEST_CASE("a link's error names the instance and the layer", "[tables]") {
  SocketRun run;
  Adapter wrong{at::randn({8, 512}), at::randn({8, 129})};  // B is transposed
  ok(sockets().install(&run.lora, run.socket, HOB_LINK_BRANCH, adapter, &wrong));
  ok(sockets().install(&run.mask, run.socket, HOB_LINK_OBSERVER, pass_on<'O'>, nullptr));
  hob_tensor* out = nullptr;
  hob_error* error = forward(run.socket, run.x, &out);
  REQUIRE(error != nullptr);
  CHECK(host::take_error(error) ==
        "compression.0 (lora): mat1 and mat2 shapes cannot be multiplied (2x8 and 129x8) "
        "[layer 'h.1.attn.qkv']");

  // The layer's own error is the model's, although a link stands around it.
  ok(sockets().remove(&run.lora, run.socket));
  error = forward(run.socket, at::ones({2, 3}), &out);
  REQUIRE(error != nullptr);
  CHECK(host::take_error(error) ==
        "model (gpt): mat1 and mat2 shapes cannot be multiplied (2x3 and 512x129) "
        "[layer 'h.1.attn.qkv']");
}

TEST_CASE("sockets are found by name, by kind and by their weight's role", "[tables]") {
  SocketRun run;
  hob_param* table = run.add("wte.weight", at::ones({4, 4}), HOB_ROLE_EMBEDDING);
  hob_socket* wte = nullptr;
  ok(sockets().add(&run.model, "wte", HOB_SOCKET_EMBEDDING, table, nullptr, nullptr, linear,
                   nullptr, &wte));
  run.add_socket("h.10.fc", run.weight);
  const auto found = [&](const char* pattern, uint32_t kind) {
    std::vector<hob_socket*> result(8);
    result.resize(sockets().find(&run.lora, pattern, kind, result.data(), 8));
    Names names;
    for (const hob_socket* socket : result) names.emplace_back(socket->name);
    return names;
  };
  CHECK(found("*", HOB_SOCKET_ANY) == Names{"h.1.attn.qkv", "wte", "h.10.fc"});
  CHECK(found("*", HOB_SOCKET_LINEAR) == Names{"h.1.attn.qkv", "h.10.fc"});
  CHECK(found("h.1", HOB_SOCKET_ANY) == Names{"h.1.attn.qkv"});
  CHECK(found("role:embedding", HOB_SOCKET_ANY) == Names{"wte"});
  CHECK(found("*", HOB_SOCKET_CONV).empty());
}

TEST_CASE("a wrong socket or link is refused", "[tables]") {
  SocketRun run;
  hob_socket* out = nullptr;
  const auto add = [&](const char* name, uint32_t kind, const void* attributes, auto* base) {
    return sockets().add(&run.model, name, kind, run.weight, nullptr, attributes, base, nullptr,
                         &out);
  };
  using Function = hob_error* (*)(const hob_link*, const hob_layer_call*, hob_tensor**);
  fails(add("h.1.attn.qkv", HOB_SOCKET_LINEAR, nullptr, linear), HOB_ERROR_INVALID, "already");
  fails(add("a", 9, nullptr, linear), HOB_ERROR_INVALID, "there is no kind 9");
  fails(add("a", HOB_SOCKET_ANY, nullptr, linear), HOB_ERROR_INVALID, "there is no kind 0");
  fails(add("a", HOB_SOCKET_LINEAR, nullptr, Function(nullptr)), HOB_ERROR_INVALID, "NULL");
  fails(add("c", HOB_SOCKET_CONV, nullptr, linear), HOB_ERROR_INVALID, "hob_conv");
  hob_conv conv = {sizeof(hob_conv), 4, {}, {}, {}, 1};
  fails(add("c", HOB_SOCKET_CONV, &conv, linear), HOB_ERROR_INVALID, "over 4 dimensions");
  conv.dim = 2;
  ok(add("c", HOB_SOCKET_CONV, &conv, linear));
  fails(sockets().install(&run.lora, run.socket, 150, linear, nullptr), HOB_ERROR_INVALID,
        "role 150");
  fails(sockets().install(&run.lora, nullptr, 0, linear, nullptr), HOB_ERROR_INVALID, "NULL");
  fails(sockets().install(&run.nowhere, run.socket, 0, linear, nullptr), HOB_ERROR_UNSUPPORTED,
        "no run");
  CHECK(sockets().find(&run.nowhere, "*", HOB_SOCKET_ANY, nullptr, 0) == 0);
}

TEST_CASE("an instance that ends takes its links along", "[tables]") {
  SocketRun run;
  hob_socket* const socket = run.socket;
  static hob_socket* target;
  target = socket;
  const hob_component_table table = {sizeof(hob_component_table),
                                     1,
                                     [](hob_env* env, const hob_config*, void**) {
                                       return sockets().install(env, target, HOB_LINK_BRANCH,
                                                                pass_on<'x'>, nullptr);
                                     },
                                     [](void*) {},
                                     nullptr,
                                     nullptr,
                                     nullptr};
  {
    const host::Instance instance(&table, "x", "compression.2", 1, &run.world, {});
    CHECK(socket->head != nullptr);
  }
  CHECK(socket->head == nullptr);
}
