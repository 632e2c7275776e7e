#include <ATen/ATen.h>
#include <ATen/CPUGeneratorImpl.h>
#include <ATen/autocast_mode.h>
#include <ATen/core/grad_mode.h>

#include <functional>

#include "tables_fixture.h"

using namespace hob;
using namespace hob::test;
using Tensors = std::vector<at::Tensor>;
using Names = std::vector<std::string>;

namespace {

int drops = 0;

// A segment's body in C++, behind the closure of the ABI.
using Body = std::function<Tensors(const Tensors&)>;
hob_closure closure_of(Body body) {
  return {sizeof(hob_closure), 0,
          [](void* user, hob_tensor* const* inputs, uint32_t n_inputs, hob_tensor** outputs,
             uint32_t n_outputs) {
            return host::guard([&] {
              Tensors in(n_inputs);
              for (uint32_t i = 0; i < n_inputs; ++i) {
                if (inputs[i]) in[i] = host::tensor_of(inputs[i]);
              }
              const Tensors out = (*static_cast<Body*>(user))(in);
              REQUIRE(out.size() == n_outputs);
              for (uint32_t i = 0; i < n_outputs; ++i) {
                outputs[i] = out[i].defined() ? host::give(out[i]) : nullptr;
              }
            });
          },
          new Body(std::move(body)),
          [](void* user) {
            ++drops;
            delete static_cast<Body*>(user);
          }};
}

struct SegmentRun : Run {
  SegmentRun() { drops = 0; }

  hob_segment* add_segment(const char* name, uint32_t mode = HOB_SEGMENT_RECOMPUTE) {
    hob_segment* out = nullptr;
    ok(segments().add(&model, name, &out));
    ok(segments().set_mode(&lora, out, mode));
    return out;
  }
  hob_error* try_run(hob_segment* segment, Body body, const Tensors& inputs, Tensors& outputs) {
    std::vector<hob_tensor*> in, out(outputs.size(), nullptr);
    for (const at::Tensor& t : inputs) in.push_back(t.defined() ? borrow(t) : nullptr);
    const hob_closure closure = closure_of(std::move(body));
    hob_error* error =
        segments().run(&model, segment, &closure, in.data(), static_cast<uint32_t>(in.size()),
                       out.data(), static_cast<uint32_t>(out.size()));
    for (size_t i = 0; !error && i < out.size(); ++i) outputs[i] = take(out[i]);
    return error;
  }
  Tensors run(hob_segment* segment, Body body, const Tensors& inputs, size_t n_outputs = 1) {
    Tensors outputs(n_outputs);
    ok(try_run(segment, std::move(body), inputs, outputs));
    return outputs;
  }
  // The block of a small network, whose weights are parameters of the run.
  Body block(hob_param* w, hob_param* v) {
    return [=](const Tensors& in) -> Tensors {
      const at::Tensor h = at::dropout(at::gelu(at::linear(in[0], value_of(w))), 0.3, true);
      return {in[0] + at::linear(h, value_of(v))};
    };
  }
};

struct Autocast {
  explicit Autocast(bool on) {
    at::autocast::set_autocast_dtype(at::kCPU, at::kBFloat16);
    at::autocast::set_autocast_enabled(at::kCPU, on);
    at::autocast::increment_nesting();
  }
  ~Autocast() {
    if (at::autocast::decrement_nesting() == 0) at::autocast::clear_cache();
    at::autocast::set_autocast_enabled(at::kCPU, false);
  }
};

void seed(uint64_t value) {
  auto generator = at::detail::getDefaultCPUGenerator();
  generator.set_current_seed(value);
}

// The gradients of four blocks, and the random number that is drawn after backward.
Tensors gradients_of_blocks(uint32_t mode, bool autocast, bool nested) {
  SegmentRun run;
  seed(7);
  Tensors gradients;
  at::Tensor x = at::randn({4, 16}).set_requires_grad(true);
  at::Tensor y = x;
  std::vector<hob_param*> weights;
  for (int i = 0; i < 4; ++i) {
    const std::string name = "h." + std::to_string(i);
    weights.push_back(run.add((name + ".w").c_str(), at::randn({32, 16})));
    weights.push_back(run.add((name + ".v").c_str(), at::randn({16, 32})));
    hob_segment* segment = run.add_segment(name.c_str(), mode);
    Body body = run.block(weights[2 * i], weights[2 * i + 1]);
    if (nested) {
      hob_segment* inner = run.add_segment((name + ".inner").c_str(), mode);
      body = [&run, inner, body](const Tensors& in) { return run.run(inner, body, in); };
    }
    const Autocast scope(autocast);
    y = run.run(segment, std::move(body), {y})[0];
  }
  y.to(at::kFloat).square().sum().backward();
  gradients.push_back(x.grad());
  for (hob_param* w : weights) gradients.push_back(value_of(w).grad());
  gradients.push_back(at::randn({1}));
  gradients.push_back(y.detach());
  return gradients;
}

void check_equal(const Tensors& a, const Tensors& b) {
  REQUIRE(a.size() == b.size());
  for (size_t i = 0; i < a.size(); ++i) {
    INFO("tensor " << i);
    REQUIRE(a[i].defined());
    REQUIRE(b[i].defined());
    CHECK(at::equal(a[i], b[i]));
  }
}

}  // namespace

TEST_CASE("recomputed segments give bitwise the gradients of kept ones, dropout included",
          "[tables]") {
  const Tensors kept = gradients_of_blocks(HOB_SEGMENT_KEEP, false, false);
  CHECK(drops == 4);
  check_equal(gradients_of_blocks(HOB_SEGMENT_RECOMPUTE, false, false), kept);
  CHECK(drops == 4);
}

TEST_CASE("recompute runs under forward's autocast", "[tables]") {
  const Tensors kept = gradients_of_blocks(HOB_SEGMENT_KEEP, true, false);
  check_equal(gradients_of_blocks(HOB_SEGMENT_RECOMPUTE, true, false), kept);
  CHECK_FALSE(at::equal(kept[1], gradients_of_blocks(HOB_SEGMENT_KEEP, false, false)[1]));
}

TEST_CASE("segments inside of segments recompute too", "[tables]") {
  check_equal(gradients_of_blocks(HOB_SEGMENT_RECOMPUTE, true, true),
              gradients_of_blocks(HOB_SEGMENT_KEEP, true, false));
  CHECK_FALSE(at::autocast::is_autocast_enabled(at::kCPU));
}

TEST_CASE("a weight keeps its gradient when autocast sees it first inside a segment", "[tables]") {
  // A copy in bfloat16 that was cached without gradients would be taken for the second use.
  SegmentRun run;
  hob_param* w = run.add("w", at::randn({8, 8}));
  hob_segment* segment = run.add_segment("h");
  const at::Tensor x = at::randn({2, 8});
  at::Tensor inside, outside;
  {
    const Autocast scope(true);
    inside = run.run(segment,
                     [=](const Tensors& in) -> Tensors { return {at::linear(in[0], value_of(w))}; },
                     {x})[0];
    outside = at::linear(x, value_of(w));
  }
  outside.to(at::kFloat).sum().backward();
  CHECK(value_of(w).grad().defined());
  CHECK(at::autocast::is_autocast_cache_enabled());
}

TEST_CASE("a replay leaves no cast of a weight behind for after the step", "[tables]") {
  SegmentRun run;
  hob_param* w = run.add("w", at::ones({8, 8}));
  hob_segment* segment = run.add_segment("h");
  const Body body = [=](const Tensors& in) -> Tensors { return {at::linear(in[0], value_of(w))}; };
  const at::Tensor x = at::ones({1, 8});
  const auto forward = [&] {
    const Autocast scope(true);
    return run.run(segment, body, {x})[0];
  };
  forward().to(at::kFloat).sum().backward();
  {
    const at::AutoGradMode off(false);
    value_of(w).zero_();
  }
  const Autocast scope(true);
  CHECK(at::linear(x, value_of(w)).sum().item<float>() == 0);
}

TEST_CASE("a segment with frozen inputs still trains its parameters", "[tables]") {
  SegmentRun run;
  hob_param* w = run.add("w", at::randn({3, 3}));
  const at::Tensor x = at::randn({2, 3});
  const at::Tensor y = run.run(
      run.add_segment("h"),
      [=](const Tensors& in) -> Tensors { return {at::linear(in[0], value_of(w))}; }, {x})[0];
  CHECK(y.requires_grad());
  y.sum().backward();
  CHECK(at::equal(value_of(w).grad(), at::ones({2, 3}).t().matmul(x)));
}

TEST_CASE("several inputs and outputs, absent and integer ones among them", "[tables]") {
  SegmentRun run;
  const at::Tensor a = at::randn({3}).set_requires_grad(true);
  const at::Tensor b = at::randn({3}).set_requires_grad(true);
  const at::Tensor index = at::ones({1}, at::kLong);
  bool absent = false;
  const Tensors out = run.run(
      run.add_segment("h"),
      [&](const Tensors& in) -> Tensors {
        absent = !in[1].defined();
        return {in[0] * in[2], in[3] + 1, in[0] - 1};
      },
      {a, at::Tensor(), b, index}, 3);
  CHECK(absent);
  CHECK_FALSE(out[1].requires_grad());
  CHECK(out[1].item<int64_t>() == 2);
  out[0].sum().backward();  // the third output has no gradient
  CHECK(at::equal(a.grad(), b.detach()));
  CHECK(at::equal(b.grad(), a.detach()));
}

TEST_CASE("a replay sees the pass of its forward, and leaves the present one alone", "[tables]") {
  SegmentRun run;
  const hob_pass* pass = segments().pass(&run.model);
  CHECK(pass == &run.world.pass());
  std::vector<hob_pass> seen;
  run.world.pass().training = 1;
  run.world.pass().micro = 2;
  hob_param* w = run.add("w", at::ones({3}));
  hob_param* mean = run.add("mean", at::zeros({}), HOB_ROLE_NORM, HOB_PARAM_BUFFER);
  const at::Tensor y =
      run.run(run.add_segment("h"),
              [&](const Tensors& in) -> Tensors {
                seen.push_back(*pass);
                if (!pass->recompute)
                  value_of(mean).add_(1);  // as a layer with running statistics does
                return {in[0] * value_of(w)};
              },
              {at::ones({3})})[0];
  run.world.pass().training = 0;
  run.world.pass().micro = 3;
  y.sum().backward();
  REQUIRE(seen.size() == 2);
  CHECK((seen[0].training == 1 && seen[0].recompute == 0 && seen[0].micro == 2));
  CHECK((seen[1].training == 1 && seen[1].recompute == 1 && seen[1].micro == 2));
  CHECK((pass->training == 0 && pass->recompute == 0 && pass->micro == 3));
  CHECK(value_of(mean).item<float>() == 1);
  CHECK(segments().pass(&run.nowhere)->training == 0);
}

TEST_CASE("an error in a replay names its place, and everything is as before", "[tables]") {
  SegmentRun run;
  hob_param* w = run.add("w", at::ones({3}));
  const at::Tensor y = run.run(run.add_segment("h.0"),
                               [&](const Tensors& in) -> Tensors {
                                 if (run.world.pass().recompute)
                                   return {in[0].matmul(at::ones({4, 8}))};
                                 return {in[0] * value_of(w)};
                               },
                               {at::ones({2, 3})})[0];
  seed(3);
  try {
    y.sum().backward();
    FAIL("it did not throw");
  } catch (const host::PluginError& error) {
    CHECK(error.what() == std::string("model (gpt): mat1 and mat2 shapes cannot be multiplied "
                                      "(2x3 and 4x8) [segment 'h.0']"));
  }
  CHECK(run.world.pass().recompute == 0);
  const at::Tensor drawn = at::randn({1});
  seed(3);
  CHECK(at::equal(drawn, at::randn({1})));
}

TEST_CASE("an error of a link inside of a replay is the link's", "[tables]") {
  SegmentRun run;
  hob_param* w = run.add("w", at::ones({3}));
  hob_socket* socket = nullptr;
  const auto base = [](const hob_link*, const hob_layer_call* call, hob_tensor** out) {
    *out = core().tensor_retain(call->input);
    return static_cast<hob_error*>(nullptr);
  };
  ok(sockets().add(&run.model, "h.0.fc", HOB_SOCKET_NORM, w, nullptr, nullptr, base, nullptr,
                   &socket));
  static const hob_pass* pass;
  pass = &run.world.pass();
  ok(sockets().install(
      &run.lora, socket, HOB_LINK_OBSERVER,
      [](const hob_link* self, const hob_layer_call* call, hob_tensor** out) {
        if (pass->recompute) {
          return core().error_new(HOB_ERROR_OUT_OF_MEMORY, "full", 4);
        }
        return self->next->call(self->next, call, out);
      },
      nullptr));
  const at::Tensor y =
      run.run(run.add_segment("h.0"),
              [&](const Tensors& in) -> Tensors {
                const hob_layer_call call = {sizeof call, HOB_SOCKET_NORM, borrow(in[0]),
                                             w->value,    nullptr,         nullptr};
                hob_tensor* out = nullptr;
                host::check(socket->head->call(socket->head, &call, &out));
                return {take(out) * value_of(w)};
              },
              {at::ones({3})})[0];
  try {
    y.sum().backward();
    FAIL("it did not throw");
  } catch (const host::PluginError& error) {
    CHECK(error.what() == std::string("compression.0 (lora): full [layer 'h.0.fc']"));
    CHECK(error.code() == HOB_ERROR_OUT_OF_MEMORY);
  }
}

TEST_CASE("a closure is dropped once, also where the segment fails or is refused", "[tables]") {
  SegmentRun run;
  hob_segment* segment = run.add_segment("h");
  Tensors out(1);
  const auto fail = [](const Tensors&) -> Tensors { throw std::runtime_error("no"); };
  for (const uint32_t mode : {HOB_SEGMENT_KEEP, HOB_SEGMENT_RECOMPUTE}) {
    segment->mode = mode;
    drops = 0;
    fails(run.try_run(segment, fail, {at::ones({1})}, out), HOB_ERROR_FAILED, "no [segment 'h']");
    CHECK(drops == 1);
    fails(run.try_run(
              segment, [](const Tensors&) { return Tensors(1); }, {}, out),
          HOB_ERROR_INVALID, "segment 'h' left an output NULL");
    CHECK(drops == 2);
    fails(run.try_run(nullptr, fail, {}, out), HOB_ERROR_INVALID, "NULL");
    CHECK(drops == 3);
  }
  const hob_closure closure = closure_of(fail);
  fails(segments().run(&run.nowhere, segment, &closure, nullptr, 0, nullptr, 0),
        HOB_ERROR_UNSUPPORTED, "no run");
  CHECK(drops == 4);

  // In evaluation nothing is kept, so that nothing need be recomputed.
  const at::AutoGradMode off(false);
  int runs = 0;
  run.run(segment,
          [&](const Tensors& in) {
            ++runs;
            return Tensors{in[0] + 1};
          },
          {at::ones({1})});
  CHECK((runs == 1 && drops == 5));
}

TEST_CASE("of nested segments a pattern finds the outermost", "[tables]") {
  SegmentRun run;
  for (const char* name : {"layer1", "layer1.0", "layer1.0.conv", "layer10", "head.0"}) {
    run.add_segment(name, HOB_SEGMENT_KEEP);
  }
  const auto found = [&](const char* pattern) {
    std::vector<hob_segment*> result(8);
    result.resize(segments().find(&run.lora, pattern, result.data(), 8));
    Names names;
    for (const hob_segment* segment : result) names.emplace_back(segment->name);
    return names;
  };
  CHECK(found("*") == Names{"layer1", "layer10", "head.0"});
  CHECK(found("layer1.*") == Names{"layer1.0"});
  CHECK(found("nothing").empty());
  hob_segment* out = nullptr;
  fails(segments().add(&run.model, "layer1", &out), HOB_ERROR_INVALID, "already a segment");
  fails(segments().add(&run.model, "layer 1", &out), HOB_ERROR_INVALID, "cannot be named");
}

TEST_CASE("two instances that want different modes are a conflict that names both", "[tables]") {
  SegmentRun run;
  hob_segment* segment = run.add_segment("h");  // by compression.0
  ok(segments().set_mode(&run.mask, segment, HOB_SEGMENT_RECOMPUTE));
  fails(segments().set_mode(&run.mask, segment, HOB_SEGMENT_KEEP), HOB_ERROR_INVALID,
        "'compression.1' and 'compression.0' want segment 'h' to run in different ways");
  ok(segments().set_mode(&run.lora, segment, HOB_SEGMENT_KEEP));
  fails(segments().set_mode(&run.lora, segment, 7), HOB_ERROR_INVALID, "mode 7");
}
