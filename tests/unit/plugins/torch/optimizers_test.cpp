#include <ATen/ops/allclose.h>
#include <ATen/ops/equal.h>
#include <ATen/ops/full.h>
#include <ATen/ops/full_like.h>
#include <ATen/ops/maximum.h>
#include <ATen/ops/ones_like.h>
#include <ATen/ops/randn.h>
#include <ATen/ops/randn_like.h>
#include <ATen/ops/zeros_like.h>

#include <cmath>
#include <functional>

#include "session/optimizer.h"
#include "unit/plugins/torch/plugin_run.h"

using namespace hob;
using namespace hob::test;
using Catch::Matchers::ContainsSubstring;

namespace {

constexpr double kLr = 0.1;

// Two parameters in float64, the second of which has a gradient from its third update on only, and
// beside each a copy that a formula steps.
struct Stepped : Run {
  hob_param* params_[2] = {add("early", at::randn({3, 2}, at::kDouble)),
                           add("late", at::randn({5}, at::kDouble))};
  at::Tensor copies[2] = {value_of(params_[0]).detach().clone(),
                          value_of(params_[1]).detach().clone()};
  std::unique_ptr<session::Optimizer> optimizer;

  Stepped(const std::string& id, const Overrides& overrides, double weight_decay) {
    recipe::Optimizer recipe;
    recipe.component = component(id, overrides);
    recipe.lr = kLr;
    recipe.weight_decay = weight_decay;
    optimizer = std::make_unique<session::Optimizer>(
        first_party().make(recipe.component, "optimizer", 1, &world), recipe, world);
  }
  // formula(i, copy, gradient, first) steps the copy of parameter i; first at its first step.
  void run(int updates, const std::function<void(int, at::Tensor&, at::Tensor, bool)>& formula) {
    const at::NoGradGuard no_grad;
    for (int u = 0; u < updates; ++u) {
      optimizer->clear_gradients();
      for (int i = 0; i < 2; ++i) {
        if (i == 1 && u < 2) continue;
        const at::Tensor gradient = at::randn_like(copies[i]);
        value_of(params_[i]).mutable_grad() = gradient.clone();
        formula(i, copies[i], gradient, u == (i == 0 ? 0 : 2));
      }
      optimizer->step(1.0, 1.0, nullptr);
    }
    // float64 throughout: what is left is rounding, some 1e-16 a step
    for (int i = 0; i < 2; ++i) CHECK(at::allclose(value_of(params_[i]), copies[i], 1e-12, 1e-13));
  }
};

void check_sgd(double momentum, double dampening, bool nesterov, double weight_decay) {
  INFO("momentum " << momentum << " dampening " << dampening << " nesterov " << nesterov);
  Stepped run("org.hob.sgd",
              {{"momentum", momentum}, {"dampening", dampening}, {"nesterov", nesterov}},
              weight_decay);
  at::Tensor buffers[2];
  run.run(5, [&](int i, at::Tensor& p, at::Tensor g, bool first) {
    g = g + weight_decay * p;
    buffers[i] = first ? g : momentum * buffers[i] + (1 - dampening) * g;
    p -= kLr * (momentum == 0 ? g : nesterov ? g + momentum * buffers[i] : buffers[i]);
  });
}

}  // namespace

TEST_CASE("sgd steps as its formula says, whenever a parameter's first step is", "[sgd]") {
  check_sgd(0, 0, false, 0);
  check_sgd(0, 0, false, 0.3);
  check_sgd(0.9, 0, false, 0.3);
  check_sgd(0.9, 0, true, 0.3);
  check_sgd(0.9, 0.25, false, 0.3);
  check_sgd(0.9, 1, false, 0);
}

TEST_CASE("sgd refuses nesterov without momentum or with dampening", "[sgd]") {
  for (const Overrides& wrong :
       {Overrides{{"nesterov", true}},
        Overrides{{"nesterov", true}, {"momentum", 0.9}, {"dampening", 0.1}}}) {
    Stepped run("org.hob.sgd", wrong, 0);
    CHECK_THAT(message_of([&] { run.run(1, [](int, at::Tensor&, at::Tensor, bool) {}); }),
               ContainsSubstring("nesterov needs momentum > 0 and dampening = 0"));
  }
}

TEST_CASE("adamw steps as its formula says", "[adamw]") {
  for (const bool amsgrad : {false, true}) {
    constexpr double kDecay = 0.3, kBeta1 = 0.8, kBeta2 = 0.9, kEps = 1e-3;
    Stepped run("org.hob.adamw",
                {{"beta1", kBeta1}, {"beta2", kBeta2}, {"eps", kEps}, {"amsgrad", amsgrad}},
                kDecay);
    at::Tensor m[2], v[2], largest[2];
    int t[2] = {0, 0};
    run.run(6, [&](int i, at::Tensor& p, const at::Tensor& g, bool first) {
      if (first) m[i] = v[i] = largest[i] = at::zeros_like(p);
      ++t[i];
      p *= 1 - kLr * kDecay;
      m[i] = kBeta1 * m[i] + (1 - kBeta1) * g;
      v[i] = kBeta2 * v[i] + (1 - kBeta2) * g * g;
      largest[i] = at::maximum(largest[i], v[i]);
      const at::Tensor second = (amsgrad ? largest : v)[i] / (1 - std::pow(kBeta2, t[i]));
      p -= kLr * (m[i] / (1 - std::pow(kBeta1, t[i]))) / (second.sqrt() + kEps);
    });
  }
}

TEST_CASE("an optimizer leaves everything as it was where the device says skip", "[optimizer]") {
  for (const auto& [id, overrides] : std::map<std::string, Overrides>{
           {"org.hob.adamw", {}}, {"org.hob.sgd", {{"momentum", 0.9}, {"dampening", 0.5}}}}) {
    INFO(id);
    Stepped run(id, overrides, 0.1);
    const auto step = [&](double gradient, double skip) {
      for (hob_param* p : run.params_) {
        value_of(p).mutable_grad() = at::full_like(value_of(p).detach(), gradient);
      }
      const at::Tensor flag = at::full({1}, skip, at::kFloat);
      run.optimizer->step(1.0, 1.0, &flag);
    };
    const auto everything = [&] {
      std::vector<at::Tensor> result;
      for (hob_param* p : run.params_) result.push_back(value_of(p).detach().clone());
      for (const auto& [name, tensor] : run.optimizer->save().tensors) {
        result.push_back(tensor.clone());
      }
      return result;
    };
    step(INFINITY, 1);
    for (int i = 0; i < 2; ++i) CHECK(at::equal(value_of(run.params_[i]), run.copies[i]));
    step(1, 0);
    const auto before = everything();
    step(NAN, 1);
    const auto after = everything();
    REQUIRE(before.size() == after.size());
    for (size_t i = 0; i < before.size(); ++i) CHECK(at::equal(before[i], after[i]));
    step(1, 0);
    CHECK_FALSE(at::equal(everything()[0], after[0]));
  }
}

TEST_CASE("sgd takes the first step with the whole gradient, also after one that was skipped",
          "[sgd]") {
  Stepped run("org.hob.sgd", {{"momentum", 0.9}, {"dampening", 0.5}}, 0);
  for (const double skip : {1.0, 0.0}) {
    for (hob_param* p : run.params_)
      value_of(p).mutable_grad() = at::ones_like(value_of(p).detach());
    const at::Tensor flag = at::full({1}, skip, at::kFloat);
    run.optimizer->step(1.0, 1.0, &flag);
  }
  CHECK(at::allclose(value_of(run.params_[0]), run.copies[0] - kLr, 1e-12));
}

TEST_CASE("an optimizer goes on after a resume as if there had been none", "[optimizer]") {
  for (const char* id : {"org.hob.adamw", "org.hob.sgd"}) {
    INFO(id);
    Overrides params;
    if (std::string(id) == "org.hob.sgd") params = {{"momentum", 0.9}, {"dampening", 0.5}};
    Stepped straight(id, params, 0.1), resumed(id, params, 0.1);
    const at::NoGradGuard no_grad;
    const auto step = [&](Stepped& run, double gradient) {
      for (hob_param* p : run.params_) {
        value_of(p).mutable_grad() = at::full_like(value_of(p), gradient);
      }
      run.optimizer->step(1.0, 1.0, nullptr);
    };
    for (int i = 0; i < 3; ++i) step(straight, i + 1);
    for (int i = 0; i < 2; ++i) value_of(resumed.params_[i]).copy_(value_of(straight.params_[i]));
    host::State saved = straight.optimizer->save();
    for (auto& [name, tensor] : saved.tensors) tensor = tensor.clone();
    resumed.optimizer->load(saved);
    for (Stepped* run : {&straight, &resumed}) step(*run, -2);
    const auto a = straight.optimizer->save().tensors;
    const auto b = resumed.optimizer->save().tensors;
    for (const auto& [name, tensor] : a) CHECK(at::equal(tensor, b.at(name)));
    for (int i = 0; i < 2; ++i) {
      CHECK(at::equal(value_of(straight.params_[i]), value_of(resumed.params_[i])));
    }
  }
}

TEST_CASE("a plugin in C of the first SDK still steps as it did", "[abi]") {
  constexpr double kDecay = 0.2, kMomentum = 0.7;
  Stepped run("org.hob.test.fixture_optimizer", {{"momentum", kMomentum}}, kDecay);
  at::Tensor buffers[2];
  run.run(5, [&](int i, at::Tensor& p, at::Tensor g, bool first) {
    g = g + kDecay * p;
    buffers[i] = first ? g : kMomentum * buffers[i] + g;
    p -= kLr * buffers[i];
  });
  const host::State state = run.optimizer->save();
  CHECK(state.version == 1);
  CHECK((state.values.at("updates") == host::State::Value(int64_t{5})));
}
