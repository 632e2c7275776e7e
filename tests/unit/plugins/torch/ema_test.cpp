#include <ATen/ops/allclose.h>
#include <ATen/ops/equal.h>
#include <ATen/ops/full.h>
#include <ATen/ops/ones.h>
#include <ATen/ops/randn.h>

#include "unit/plugins/torch/plugin_run.h"

using namespace hob;
using namespace hob::test;
using Catch::Matchers::ContainsSubstring;

namespace {

// A parameter, one in bfloat16, a float buffer and a counter, under a moving average.
struct EmaRun : Run {
  hob_param* weight = add("weight", at::full({2}, 1.0));
  hob_param* half = add("half", at::full({2}, 1.0).to(at::kBFloat16));
  hob_param* frozen = add("frozen", at::full({2}, 1.0), HOB_ROLE_WEIGHT, 0);
  hob_param* mean = add("mean", at::full({2}, 1.0), HOB_ROLE_NORM, HOB_PARAM_BUFFER);
  hob_param* count = add("count", at::full({}, 1, at::kLong), HOB_ROLE_NORM, HOB_PARAM_BUFFER);
  std::unique_ptr<host::Instance> ema;

  explicit EmaRun(const Overrides& overrides) {
    ema = first_party().make(component("org.hob.ema", overrides), "callback.0", 1, &world);
    ema->call(&hob_callback::attach);
  }
  void tell(hob_event_kind kind) {
    hob_event event{};
    event.struct_size = sizeof event;
    event.kind = kind;
    ema->call(&hob_callback::on_event, &event);
  }
  // An update that puts `value` into everything that training changes.
  void update(double value) {
    const at::NoGradGuard no_grad;
    for (hob_param* p : {weight, half, mean, count}) value_of(p).fill_(value);
    tell(HOB_EVENT_UPDATE_END);
  }
  double first(hob_param* p) { return value_of(p).flatten()[0].item<double>(); }
};

}  // namespace

TEST_CASE("ema averages weights and float buffers, and shows them to an evaluation", "[ema]") {
  EmaRun run({{"decay", 0.75}});
  run.tell(HOB_EVENT_RUN_BEGIN);
  run.update(5);  // 1 + 0.25 * 4 = 2
  run.update(6);  // 2 + 0.25 * 4 = 3
  run.tell(HOB_EVENT_EVAL_BEGIN);
  CHECK(run.first(run.weight) == 3);
  CHECK(run.first(run.half) == 3);
  CHECK(run.first(run.mean) == 3);
  CHECK(run.first(run.count) == 6);  // a counter is the model's own
  CHECK(run.first(run.frozen) == 1);
  run.tell(HOB_EVENT_EVAL_END);
  for (hob_param* p : {run.weight, run.half, run.mean, run.count}) CHECK(run.first(p) == 6);
}

TEST_CASE("ema keeps an average of bfloat16 weights in float32", "[ema]") {
  EmaRun run({{"decay", 0.9990234375}});  // 1 - 2^-10: below bfloat16's resolution at 1
  run.tell(HOB_EVENT_RUN_BEGIN);
  for (int i = 0; i < 4; ++i) run.update(2);
  const host::State state = run.ema->save();
  const at::Tensor shadow = state.tensors.at("shadow.half");
  CHECK(shadow.scalar_type() == at::kFloat);
  CHECK(std::abs(shadow[0].item<double>() - (2 - std::pow(1 - 0x1p-10, 4))) < 1e-6);
}

// case BNE-03
TEST_CASE("ema with decay 0 equals the model in every tensor", "[ema]") {
  EmaRun run({{"decay", 0.0}});
  run.tell(HOB_EVENT_RUN_BEGIN);
  run.update(1.1);
  std::vector<at::Tensor> raw;
  for (host::Param& p : run.world.params()) raw.push_back(p.tensor.detach().clone());
  run.tell(HOB_EVENT_EXPORT_BEGIN);
  for (size_t i = 0; i < raw.size(); ++i) CHECK(at::equal(run.world.params()[i].tensor, raw[i]));
}

// case BNE-05
TEST_CASE("ema gives every weight back exactly, with evaluations within exports too", "[ema]") {
  EmaRun run({{"decay", 0.5}});
  run.tell(HOB_EVENT_EVAL_BEGIN);  // before the first update there is no average
  CHECK(run.first(run.weight) == 1);
  run.tell(HOB_EVENT_EVAL_END);
  run.tell(HOB_EVENT_RUN_BEGIN);
  run.update(0.1);
  const uint64_t generation = run.weight->generation;
  const at::Tensor raw = value_of(run.weight).detach().clone();
  run.tell(HOB_EVENT_EXPORT_BEGIN);
  run.tell(HOB_EVENT_EVAL_BEGIN);
  CHECK_FALSE(at::equal(value_of(run.weight), raw));
  run.tell(HOB_EVENT_EVAL_END);
  CHECK_FALSE(at::equal(value_of(run.weight), raw));
  run.tell(HOB_EVENT_EXPORT_END);
  CHECK(at::equal(value_of(run.weight), raw));
  CHECK(run.weight->generation == generation);
  CHECK(value_of(run.weight).requires_grad());
}

TEST_CASE("ema's warm-up begins with (1 + n) / (10 + n)", "[ema]") {
  EmaRun run({{"decay", 0.15}, {"warmup", true}});
  run.tell(HOB_EVENT_RUN_BEGIN);
  run.update(11);  // 0.1 * 1 + 0.9 * 11 = 10
  CHECK(at::allclose(run.ema->save().tensors.at("shadow.weight"), at::full({2}, 10.0)));
  run.update(0);  // min(0.15, 2 / 11) * 10 = 1.5
  CHECK(at::allclose(run.ema->save().tensors.at("shadow.weight"), at::full({2}, 1.5)));
}

// case RES-13
TEST_CASE("ema goes on after a resume as if there had been none", "[ema]") {
  const Overrides params{{"decay", 0.9}, {"warmup", true}};
  EmaRun straight(params), stopped(params), resumed(params);
  for (EmaRun* run : {&straight, &stopped}) {
    run->tell(HOB_EVENT_RUN_BEGIN);
    for (int i = 0; i < 5; ++i) run->update(i);
  }
  resumed.ema->load(stopped.ema->save());
  resumed.tell(HOB_EVENT_RUN_BEGIN);
  for (EmaRun* run : {&straight, &resumed}) run->update(7);
  const host::State a = straight.ema->save();
  const host::State b = resumed.ema->save();
  CHECK((a.values == b.values));
  REQUIRE(a.tensors.size() == 3);
  for (const auto& [name, tensor] : a.tensors) CHECK(at::equal(tensor, b.tensors.at(name)));
}

TEST_CASE("ema refuses a state of another shape, or without one of its averages", "[ema]") {
  EmaRun run({});
  run.tell(HOB_EVENT_RUN_BEGIN);
  host::State state = run.ema->save();
  state.tensors["shadow.weight"] = at::ones({1});
  CHECK_THAT(message_of([&] { run.ema->load(state); }),
             ContainsSubstring("the saved average of 'weight' is (1), and the parameter (2)"));
  state.tensors.erase("shadow.weight");
  CHECK_THAT(message_of([&] { run.ema->load(state); }), ContainsSubstring("shadow.weight"));
}

TEST_CASE("ema begins anew for a parameter whose shape changed", "[ema]") {
  EmaRun run({{"decay", 0.5}});
  run.tell(HOB_EVENT_RUN_BEGIN);
  run.update(3);
  static_cast<host::Param*>(run.weight)->assign(at::full({3}, 8.0));
  run.update(8);
  CHECK(at::equal(run.ema->save().tensors.at("shadow.weight"), at::full({3}, 8.0)));
  CHECK(at::equal(run.ema->save().tensors.at("shadow.mean"), at::full({2}, 5.0)));
}
