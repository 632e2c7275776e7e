#include <ATen/ATen.h>
#include <ATen/core/grad_mode.h>

#include <chrono>
#include <iostream>
#include <thread>

#include "host/tables/operators.h"
#include "tables_fixture.h"

using namespace hob;
using namespace hob::test;

namespace {

hob_list* list_of(std::vector<at::Tensor> tensors) {
  return host::make_list(std::move(tensors));
}

}  // namespace

TEST_CASE("an operator's handle is the same at every look-up, on every thread", "[tables]") {
  std::vector<hob_op*> found(4, nullptr);
  {
    std::vector<std::jthread> threads;
    for (hob_op*& op : found) {
      threads.emplace_back([&op] { ops().find("aten::lerp", "Scalar", &op); });
    }
  }
  CHECK(found[0] != nullptr);
  for (const hob_op* op : found) CHECK(op == found[0]);
}

TEST_CASE("an operator that does not exist is named with what is near", "[tables]") {
  hob_op* op = nullptr;
  fails(ops().find("aten::ad", "Tensor", &op), HOB_ERROR_INVALID,
        "this LibTorch has no operator 'aten::ad.Tensor'; did you mean 'aten::a");
  fails(ops().find("aten::add", "Tensr", &op), HOB_ERROR_INVALID,
        "no operator 'aten::add.Tensr'; the overloads of aten::add are");
  fails(ops().find(nullptr, "", &op), HOB_ERROR_INVALID, "NULL");
  CHECK(op == nullptr);
}

TEST_CASE("operators give what LibTorch gives, with the schema's defaults", "[tables]") {
  const at::Tensor a = at::arange(6, at::kFloat).reshape({2, 3}), b = at::full({2, 3}, 0.5);
  CHECK(at::equal(Operator("aten::add", "Tensor").tensor({value(a), value(b)}), a + b));
  CHECK(at::equal(Operator("aten::add", "Tensor").tensor({value(a), value(b), scalar(-2)}),
                  a - 2 * b));
  CHECK(at::equal(Operator("aten::gelu", "").tensor({value(a), value(std::string("tanh"))}),
                  at::gelu(a, "tanh")));
  const std::vector<int64_t> one = {1};
  CHECK(at::equal(Operator("aten::sum", "dim_IntList").tensor({value(a), value(one)}), a.sum(1)));
  CHECK(at::equal(Operator("aten::sum", "dim_IntList").tensor({value(a), none()}), a.sum()));
  // int[1] and int[2] take an integer, as in Python
  CHECK(at::equal(Operator("aten::sum", "dim_IntList").tensor({value(a), value(int64_t{1})}),
                  a.sum(1)));
  const at::Tensor image = at::arange(16, at::kFloat).reshape({1, 1, 4, 4});
  CHECK(at::equal(Operator("aten::max_pool2d", "").tensor({value(image), value(int64_t{2})}),
                  at::max_pool2d(image, 2)));
  // Scalars of each kind keep their type
  const at::Tensor ints = at::arange(3);
  CHECK(Operator("aten::add", "Scalar").tensor({value(ints), value(int64_t{2})}).scalar_type() ==
        at::kLong);
  CHECK(Operator("aten::add", "Scalar").tensor({value(ints), value(0.5)}).scalar_type() ==
        at::kFloat);
  // an integer where a float is wanted
  CHECK(at::equal(
      Operator("aten::dropout", "").tensor({value(a), value(int64_t{0}), boolean(true)}), a));
}

TEST_CASE("a factory makes a tensor of the type and on the device that it is told", "[tables]") {
  const std::vector<int64_t> sizes = {2, 2};
  const at::Tensor plain = Operator("aten::zeros", "").tensor({value(sizes)});
  CHECK(plain.device().is_cpu());
  CHECK(plain.scalar_type() == at::kFloat);
  const at::Tensor meta =
      Operator("aten::zeros", "")
          .tensor({value(sizes), dtype(HOB_BFLOAT16), none(), value(std::string("meta"))});
  CHECK(meta.is_meta());
  CHECK(meta.scalar_type() == at::kBFloat16);
  const at::Tensor like = Operator("aten::zeros_like", "").tensor({value(meta)});
  CHECK(like.is_meta());
  fails(Operator("aten::zeros", "").run({value(sizes), none(), none(), value(std::string("moon"))}),
        HOB_ERROR_FAILED, "moon");
}

TEST_CASE("lists are taken as they stand, and returned", "[tables]") {
  const at::Tensor a = at::ones({2}), b = at::ones({3});
  host::ListHandle list(list_of({a, b}));
  ok(Operator("aten::_foreach_add_", "Scalar").run({value(list.get()), scalar(2)}));
  CHECK(at::equal(a, at::full({2}, 3.0)));
  CHECK(at::equal(b, at::full({3}, 3.0)));

  hob_value result{};
  ok(Operator("aten::_foreach_norm", "Scalar").run({value(list.get()), scalar(1)}, &result, 1));
  REQUIRE(result.kind == HOB_VALUE_LIST);
  const host::ListHandle norms(result.as.list);
  REQUIRE(core().list_size(norms.get()) == 2);
  CHECK(host::tensors_of(norms.get())[1].item<float>() == 9);
}

TEST_CASE("a list of optional tensors takes absent ones, another does not", "[tables]") {
  const at::Tensor t = at::arange(6).reshape({2, 3}), rows = at::tensor({1});
  const host::ListHandle index(list_of({rows, at::Tensor()}));
  CHECK(at::equal(Operator("aten::index", "Tensor").tensor({value(t), value(index.get())}),
                  t.index({rows})));
  fails(Operator("aten::cat", "").run({value(index.get())}), HOB_ERROR_INVALID,
        "argument 'tensors' is of type Tensor[], and a list with absent tensors was given");
}

TEST_CASE("all results are returned, or the first of them", "[tables]") {
  const at::Tensor t = at::tensor({1.0F, 5.0F, 3.0F});
  hob_value results[2] = {};
  ok(Operator("aten::topk", "").run({value(t), value(int64_t{1})}, results, 2));
  CHECK(take(results[0].as.tensor).item<float>() == 5);
  CHECK(take(results[1].as.tensor).item<int64_t>() == 1);
  ok(Operator("aten::topk", "").run({value(t), value(int64_t{1})}, results, 1));
  core().tensor_release(results[0].as.tensor);
  fails(Operator("aten::topk", "").run({value(t), value(int64_t{1})}, results, 3),
        HOB_ERROR_INVALID, "3 results are wanted, there are 2");
}

TEST_CASE("numbers and truth values are results too", "[tables]") {
  const at::Tensor t = at::arange(4);
  hob_value r{};
  ok(Operator("aten::equal", "").run({value(t), value(t)}, &r, 1));
  CHECK((r.kind == HOB_VALUE_BOOL && r.as.i == 1));
  ok(Operator("aten::_local_scalar_dense", "").run({value(t[3])}, &r, 1));
  CHECK((r.kind == HOB_VALUE_INT && r.as.i == 3));
  const at::Tensor half = at::full({}, 0.5);
  ok(Operator("aten::_local_scalar_dense", "").run({value(half)}, &r, 1));
  CHECK((r.kind == HOB_VALUE_FLOAT && r.as.f == 0.5));
}

TEST_CASE("an absent tensor is left out or NONE; the rest must fit the schema", "[tables]") {
  const at::Tensor x = at::ones({2, 3}), w = at::ones({4, 3});
  const Operator linear("aten::linear", "");
  CHECK(at::equal(linear.tensor({value(x), value(w)}), at::linear(x, w)));
  CHECK(at::equal(linear.tensor({value(x), value(w), none()}), at::linear(x, w)));
  fails(linear.run({value(x)}), HOB_ERROR_INVALID, "argument 'weight' is missing");
  fails(linear.run({value(x), none()}), HOB_ERROR_INVALID,
        "argument 'weight' is of type Tensor, and nothing was given; the operator is "
        "aten::linear(Tensor input, Tensor weight, Tensor? bias=None) -> Tensor");
  fails(linear.run({value(x), value(w), none(), none()}), HOB_ERROR_INVALID,
        "4 arguments were given, at most 3 are taken");
  hob_value null_tensor = {HOB_VALUE_TENSOR, 0, {.tensor = nullptr}};
  fails(linear.run({null_tensor, value(w)}), HOB_ERROR_INVALID, "a NULL tensor was given");
  fails(linear.run({hob_value{77, 0, {.i = 0}}}), HOB_ERROR_INVALID, "a value of unknown kind 77");
}

TEST_CASE("a value of the wrong type is named with the argument", "[tables]") {
  const at::Tensor x = at::ones({2});
  const std::vector<int64_t> ints = {1};
  const auto wrong = [&](const char* name, const char* overload,
                         std::initializer_list<hob_value> args, const char* text) {
    fails(Operator(name, overload).run(args), HOB_ERROR_INVALID, text);
  };
  wrong("aten::add", "Scalar", {value(x), value(std::string("1"))},
        "argument 'other' is of type Scalar, and the string '1' was given");
  wrong("aten::select", "int", {value(x), value(0.5), value(int64_t{0})},
        "argument 'dim' is of type int, and the float 0.5 was given");
  wrong("aten::dropout", "", {value(x), value(0.5), value(int64_t{1})},
        "argument 'train' is of type bool, and the integer 1 was given");
  wrong("aten::to", "dtype", {value(x), value(int64_t{6})},
        "argument 'dtype' is of type ScalarType, and the integer 6 was given");
  wrong("aten::gelu", "", {value(x), boolean(true)},
        "argument 'approximate' is of type str, and a bool was given");
  wrong("aten::relu", "", {value(ints)}, "argument 'self' is of type Tensor, and 1 integers");
  wrong("aten::normal_", "", {value(x), value(0.0), value(1.0), value(int64_t{3})},
        "argument 'generator' is of type Generator?, and the integer 3 was given");
}

TEST_CASE("LibTorch's own error comes through as it is", "[tables]") {
  const at::Tensor a = at::ones({4, 8}), b = at::ones({3, 3});
  const Failure f = failure(Operator("aten::mm", "").run({value(a), value(b)}));
  CHECK(f.text == "mat1 and mat2 shapes cannot be multiplied (4x8 and 3x3)");
  CHECK(f.code == HOB_ERROR_FAILED);
}

TEST_CASE("gradients flow through operators", "[tables]") {
  at::Tensor x = at::full({3}, 2.0).set_requires_grad(true);
  Operator("aten::mul", "Tensor").tensor({value(x), value(x)}).sum().backward();
  CHECK(at::equal(x.grad(), at::full({3}, 4.0)));
}

TEST_CASE("operators that a plugin was made for are compared with this LibTorch's", "[tables]") {
  using host::incompatible_operators;
  CHECK(incompatible_operators({"aten::linear(Tensor input, Tensor weight, Tensor? bias=None) -> "
                                "Tensor",
                                // an older LibTorch may have had fewer arguments with defaults
                                "aten::gelu(Tensor self) -> Tensor",
                                "aten::_foreach_add_.List(Tensor(a!)[] self, Tensor[] other, *, "
                                "Scalar alpha=1) -> ()"})
            .empty());
  const auto faults =
      incompatible_operators({"aten::linear(Tensor input, Tensor weight, int bias) -> Tensor",
                              "aten::frobnicate(Tensor self) -> Tensor", "not a schema ("});
  REQUIRE(faults.size() == 3);
  CHECK_THAT(faults[0], Catch::Matchers::ContainsSubstring(
                            "operator aten::linear has changed: the plugin expects"));
  CHECK(faults[1] == "operator aten::frobnicate does not exist in this LibTorch");
  CHECK_THAT(faults[2],
             Catch::Matchers::ContainsSubstring("no schema that this LibTorch can read"));
}

// Run by its tag: ns of a call through the table beyond the same call in C++.
TEST_CASE("the cost of an operator's call", "[.][bench]") {
  const at::AutoGradMode no_grad(false);
  const at::Tensor a = at::ones({4}), b = at::ones({4});
  const auto ns_per_call = [](auto&& body) {
    constexpr int kCalls = 200000;
    double best = 1e9;
    for (int round = 0; round < 5; ++round) {
      const auto start = std::chrono::steady_clock::now();
      for (int i = 0; i < kCalls; ++i) body();
      const std::chrono::duration<double, std::nano> time =
          std::chrono::steady_clock::now() - start;
      best = std::min(best, time.count() / kCalls);
    }
    return best;
  };
  hob_op* op = nullptr;
  ok(ops().find("aten::add", "Tensor", &op));
  const hob_value args[] = {value(a), value(b), scalar(1)};
  const double native = ns_per_call([&] { at::add(a, b); });
  const hob_ops& table = ops();
  const hob_core& tensors = core();
  const double called = ns_per_call([&] {
    hob_value result{};
    table.call(op, args, 3, &result, 1);
    tensors.tensor_release(result.as.tensor);
  });
  std::cout << "aten::add of 4 floats: " << native << " ns in C++, " << called
            << " ns through hob.ops\n";
}
