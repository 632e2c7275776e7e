#include <ATen/core/grad_mode.h>
#include <ATen/ops/arange.h>
#include <ATen/ops/equal.h>
#include <ATen/ops/ones.h>
#include <ATen/ops/zeros.h>

#include "tables_fixture.h"

using namespace hob;
using namespace hob::test;

namespace {

std::vector<std::string> found(hob_env* env, const char* pattern) {
  std::vector<hob_param*> cells(params().find(env, pattern, nullptr, 0));
  params().find(env, pattern, cells.data(), static_cast<uint32_t>(cells.size()));
  std::vector<std::string> names;
  for (const hob_param* cell : cells) names.emplace_back(cell->name);
  return names;
}

using Names = std::vector<std::string>;

}  // namespace

TEST_CASE("a parameter is a cell with a leaf tensor of its own", "[tables]") {
  Run run;
  const at::Tensor start = at::ones({2});
  hob_param* w = run.add("fc.weight", start);
  CHECK(w->struct_size == sizeof(hob_param));
  CHECK(w->name == std::string("fc.weight"));
  CHECK(w->generation == 1);
  CHECK(value_of(w).requires_grad());
  CHECK(value_of(w).is_leaf());
  CHECK_FALSE(start.requires_grad());
  CHECK_FALSE(value_of(run.add("fc.frozen", start, HOB_ROLE_WEIGHT, 0)).requires_grad());
  CHECK(run.world.find_param("fc.weight") == w);
  CHECK(run.world.find_param("fc.weight")->owner == "model");
  CHECK(run.world.find_param("fc") == nullptr);

  // Elements that share memory cannot be stepped in place.
  const hob_param* expanded = run.add("fc.expanded", at::ones({1}).expand({4}));
  CHECK(host::tensor_of(expanded->value).is_contiguous());
}

TEST_CASE("a parameter with a wrong name, role, flag or type is refused", "[tables]") {
  Run run;
  run.add("fc.weight", at::ones({1}));
  const at::Tensor t = at::ones({1}), ints = at::arange(2);
  hob_param* out = nullptr;
  const auto add = [&](const char* name, const at::Tensor& value, uint32_t role, uint32_t flags) {
    return params().add(&run.model, name, borrow(value), role, flags, &out);
  };
  fails(add("fc.weight", t, 0, 1), HOB_ERROR_INVALID,
        "there is already a parameter named 'fc.weight'");
  for (const char* name : {"", ".a", "a.", "a..b", "a b", "a/b", "\xc3\xa4"}) {
    fails(add(name, t, 0, 1), HOB_ERROR_INVALID, "cannot be named");
  }
  fails(add("a", t, 17, 1), HOB_ERROR_INVALID, "role 17");
  fails(add("a", t, 0, 64), HOB_ERROR_INVALID, "flags 64");
  fails(add("a", at::Tensor(), 0, 1), HOB_ERROR_INVALID, "without a value");
  fails(add("a", ints, 0, HOB_PARAM_TRAINABLE), HOB_ERROR_INVALID,
        "'a' is of type Long, and only floating-point parameters can be trained");
  fails(add("a", t, 0, HOB_PARAM_TRAINABLE | HOB_PARAM_BUFFER), HOB_ERROR_INVALID,
        "'a' is a buffer, and buffers are never trained");
  fails(params().add(&run.model, nullptr, borrow(t), 0, 1, &out), HOB_ERROR_INVALID, "NULL");
  fails(params().add(&run.model, "a", nullptr, 0, 1, &out), HOB_ERROR_INVALID, "NULL");
  fails(params().add(&run.nowhere, "a", borrow(t), 0, 1, &out), HOB_ERROR_UNSUPPORTED, "no run");
  CHECK(run.world.params().size() == 1);
  run.add("a", ints, HOB_ROLE_WEIGHT, HOB_PARAM_BUFFER);
}

TEST_CASE("a pattern finds parameters by name, by alias and by role", "[tables]") {
  Run run;
  hob_param* wte = run.add("wte.weight", at::ones({1}), HOB_ROLE_EMBEDDING);
  run.add("h.0.ln.weight", at::ones({1}), HOB_ROLE_NORM);
  run.add("h.0.fc.weight", at::ones({1}));
  run.add("h.10.fc.weight", at::ones({1}));
  ok(params().alias(&run.model, wte, "lm_head.weight"));
  CHECK(found(&run.model, "*").size() == 4);
  CHECK(found(&run.model, "role:norm") == Names{"h.0.ln.weight"});
  CHECK(found(&run.model, "h.0") == Names{"h.0.ln.weight", "h.0.fc.weight"});
  CHECK(found(&run.model, "lm_head") == Names{"wte.weight"});
  CHECK(run.world.find_param("lm_head.weight") == wte);
  CHECK(found(&run.model, "role:nrom").empty());
  CHECK(found(&run.nowhere, "*").empty());
  CHECK(run.world.params().size() == 4);

  hob_param* one = nullptr;
  CHECK(params().find(&run.model, "*", &one, 1) == 4);  // writes no more than there is room for
  CHECK(one == wte);
  fails(params().alias(&run.model, wte, "h.0.fc.weight"), HOB_ERROR_INVALID, "already");
}

TEST_CASE("another tensor raises the generation, a step in place does not", "[tables]") {
  Run run;
  hob_param* w = run.add("w", at::ones({2}));
  {
    const at::AutoGradMode off(false);
    value_of(w).add_(1);
  }
  CHECK(w->generation == 1);
  const hob_tensor* cell = w->value;
  const at::Tensor longer = at::zeros({3});
  ok(params().assign(w, borrow(longer)));
  CHECK(w->generation == 2);
  CHECK(w->value == cell);
  CHECK(at::equal(value_of(w), longer));
  CHECK(value_of(w).requires_grad());
  CHECK_FALSE(longer.requires_grad());
  const at::Tensor ints = at::arange(3), nothing;
  fails(params().assign(w, borrow(ints)), HOB_ERROR_INVALID, "Long");
  fails(params().assign(w, borrow(nothing)), HOB_ERROR_INVALID, "undefined tensor for 'w'");
  CHECK(w->generation == 2);
}

TEST_CASE("freezing drops the gradient, and buffers cannot be trained", "[tables]") {
  Run run;
  hob_param* w = run.add("w", at::ones({2}));
  hob_param* mean = run.add("mean", at::ones({2}), HOB_ROLE_WEIGHT, HOB_PARAM_BUFFER);
  hob_tensor* grad = nullptr;
  ok(params().grad(w, &grad));
  CHECK(grad == nullptr);
  value_of(w).sum().backward();
  ok(params().grad(w, &grad));
  CHECK(at::equal(take(grad), at::ones({2})));

  ok(params().set_trainable(w, 0));
  CHECK_FALSE(value_of(w).requires_grad());
  ok(params().grad(w, &grad));
  CHECK(grad == nullptr);
  ok(params().set_trainable(w, 1));
  CHECK(value_of(w).requires_grad());
  CHECK((w->flags & HOB_PARAM_TRAINABLE) != 0);
  fails(params().set_trainable(mean, 1), HOB_ERROR_INVALID, "'mean' is a buffer");
  fails(params().set_trainable(nullptr, 1), HOB_ERROR_INVALID, "NULL");
}
