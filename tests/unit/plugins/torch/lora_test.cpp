#include <ATen/ops/allclose.h>
#include <ATen/ops/conv2d.h>
#include <ATen/ops/equal.h>
#include <ATen/ops/linear.h>
#include <ATen/ops/mm.h>
#include <ATen/ops/randn.h>
#include <ATen/ops/zeros_like.h>

#include <cmath>

#include "unit/plugins/torch/plugin_run.h"

using namespace hob;
using namespace hob::test;
using Catch::Matchers::ContainsSubstring;
using Strings = std::vector<std::string>;

namespace {

struct LoraRun : PluginRun {
  LogCapture log;

  std::unique_ptr<host::Instance> attach(const Overrides& overrides) {
    auto lora = make("lora", overrides);
    lora->call(&hob_compression::attach);
    return lora;
  }
  // The message without the instance's name.
  std::string refusal(const Overrides& overrides) {
    return message_of([&] { attach(overrides); });
  }
  at::Tensor& tensor(const char* name) { return world.find_param(name)->tensor; }
  void randomize_b(const char* name) {
    const at::NoGradGuard no_grad;
    tensor(name).normal_();
  }
};

}  // namespace

TEST_CASE("lora changes nothing at first, and then adds alpha / rank * B A x", "[lora]") {
  LoraRun run;
  const at::Tensor x = at::randn({5, 3});
  const at::Tensor plain = run.output(run.first, x);
  const auto lora = run.attach({{"rank", int64_t{2}}, {"alpha", 6.0}});
  CHECK(at::equal(run.output(run.first, x), plain));

  run.randomize_b("first.lora_B.weight");
  const at::Tensor& a = run.tensor("first.lora_A.weight");
  const at::Tensor& b = run.tensor("first.lora_B.weight");
  CHECK(a.sizes() == at::IntArrayRef({2, 3}));
  CHECK(b.sizes() == at::IntArrayRef({4, 2}));
  CHECK(at::allclose(run.output(run.first, x), plain + 3 * at::linear(at::linear(x, a), b)));
}

TEST_CASE("lora trains its matrices alone, which are adapters", "[lora]") {
  LoraRun run;
  const auto lora = run.attach({{"rank", int64_t{2}}});
  const at::Tensor x = at::randn({5, 3});
  run.output(run.second, run.output(run.first, x)).sum().backward();
  CHECK_FALSE(run.tensor("first.weight").requires_grad());
  CHECK(run.tensor("first.lora_A.weight").grad().defined());
  CHECK(run.tensor("block.second.lora_B.weight").grad().abs().sum().item<double>() > 0);
  CHECK(run.world.find_param("first.lora_A.weight")->role == HOB_ROLE_ADAPTER);
  // 2 * (3 + 4) + 2 * (4 + 2) of these and 12 + 8 more: LOR-05
  CHECK_THAT(run.log.lines().back().second,
             ContainsSubstring("on 2 layers; 26 of 46 parameters are trained"));
}

TEST_CASE("lora begins A as PEFT does, the same for the same seed", "[lora]") {
  LoraRun run;
  const auto lora = run.attach({{"rank", int64_t{64}}});
  const at::Tensor& a = run.tensor("first.lora_A.weight");
  const double bound = 1 / std::sqrt(3.0);  // Kaiming-uniform, a = sqrt(5), 3 inputs
  CHECK(a.abs().max().item<double>() <= bound);
  CHECK(a.abs().max().item<double>() > 0.9 * bound);  // of 192 numbers: missed once in 10^8
  CHECK(run.tensor("first.lora_B.weight").abs().sum().item<double>() == 0);
  LoraRun again;
  const auto same = again.attach({{"rank", int64_t{64}}, {"targets", Strings{"first"}}});
  CHECK(at::equal(again.tensor("first.lora_A.weight"), a));
}

TEST_CASE("lora keeps what `train` names trained", "[lora]") {
  LoraRun run;
  const auto lora = run.attach({{"targets", Strings{"first"}}, {"train", Strings{"block"}}});
  CHECK_FALSE(run.tensor("first.weight").requires_grad());
  CHECK(run.tensor("block.second.weight").requires_grad());
  LoraRun other;
  CHECK_THAT(other.refusal({{"train", Strings{"blok.second.weight"}}}),
             ContainsSubstring("train: 'blok.second.weight' matches no parameter; the nearest "
                               "are: 'block.second.weight'"));
}

TEST_CASE("a convolution's adapter has its kernel and geometry", "[lora]") {
  LoraRun run;
  const hob_conv geometry{sizeof(hob_conv), 2, {2, 1, 1}, {1, 0, 0}, {1, 2, 1}, 1};
  hob_socket* conv = run.add_socket("conv", HOB_SOCKET_CONV,
                                    run.add("conv.weight", at::randn({6, 3, 3, 2})), &geometry);
  const at::Tensor x = at::randn({2, 3, 9, 9});
  const auto lora =
      run.attach({{"rank", int64_t{4}}, {"alpha", 4.0}, {"targets", Strings{"conv"}}});
  CHECK(run.tensor("conv.lora_A.weight").sizes() == at::IntArrayRef({4, 3, 3, 2}));
  CHECK(run.tensor("conv.lora_B.weight").sizes() == at::IntArrayRef({6, 4, 1, 1}));
  run.randomize_b("conv.lora_B.weight");
  const at::Tensor adapted = run.output(conv, x);
  lora->call(&hob_compression::finalize);
  CHECK(conv->head == nullptr);
  CHECK(at::allclose(run.output(conv, x), adapted, 1e-4, 1e-4));  // float32 sums of 18 products
}

// case LOR-01
TEST_CASE("lora folds in float32 and rounds once", "[lora]") {
  LoraRun run;
  hob_socket* half = run.add_linear("half", at::randn({4, 3}).to(at::kBFloat16));
  const auto lora =
      run.attach({{"rank", int64_t{2}}, {"alpha", 1.0}, {"targets", Strings{"half"}}});
  run.randomize_b("half.lora_B.weight");
  const at::Tensor delta =
      at::mm(run.tensor("half.lora_B.weight"), run.tensor("half.lora_A.weight"));
  const at::Tensor wanted =
      (run.tensor("half.weight").to(at::kFloat).add(delta, 0.5)).to(at::kBFloat16);
  lora->call(&hob_compression::finalize);
  CHECK(at::equal(run.tensor("half.weight"), wanted.detach()));
  CHECK(half->head == nullptr);
  CHECK_THAT(run.log.lines().back().second, ContainsSubstring("folded 1 adapters"));
}

TEST_CASE("lora acts on activations of another type than its own", "[lora]") {
  LoraRun run;
  hob_socket* half = run.add_linear("half", at::randn({4, 3}).to(at::kBFloat16));
  const auto lora = run.attach({{"targets", Strings{"half"}}});
  const at::Tensor y = run.output(half, at::randn({5, 3}).to(at::kBFloat16));
  CHECK(y.scalar_type() == at::kBFloat16);
  y.sum().backward();
  CHECK(run.tensor("half.lora_B.weight").grad().scalar_type() == at::kFloat);
}

// case LOR-03
TEST_CASE("lora refuses a layer whose weight another layer shares", "[lora]") {
  LoraRun run;
  hob_param* tied = run.add("embedding.weight", at::randn({7, 3}), HOB_ROLE_EMBEDDING);
  run.add_socket("embedding", HOB_SOCKET_EMBEDDING, tied, nullptr);
  run.add_socket("head", HOB_SOCKET_LINEAR, tied, nullptr);
  CHECK_THAT(run.refusal({{"targets", Strings{"head"}}}),
             ContainsSubstring("layer 'head' shares its weight with 'embedding'") &&
                 ContainsSubstring("leave it out of targets"));
  CHECK(run.refusal({{"targets", Strings{"first"}}}).empty());
}

// case LOR-05
TEST_CASE("lora refuses targets that match no layer, and names those that are near", "[lora]") {
  LoraRun run;
  CHECK_THAT(run.refusal({{"targets", Strings{"sceond"}}}),
             ContainsSubstring("targets: 'sceond' matches no linear layer or convolution; the "
                               "nearest are: 'block.second', 'first'"));
  CHECK_THAT(run.refusal({{"targets", Strings{}}}), ContainsSubstring("targets is empty"));
  CHECK(run.first->head == nullptr);
  CHECK(run.tensor("first.weight").requires_grad());
}

TEST_CASE("lora refuses a convolution in groups", "[lora]") {
  LoraRun run;
  const hob_conv geometry{sizeof(hob_conv), 2, {1, 1, 1}, {0, 0, 0}, {1, 1, 1}, 3};
  run.add_socket("depthwise", HOB_SOCKET_CONV, run.add("depthwise.weight", at::randn({3, 1, 3, 3})),
                 &geometry);
  CHECK_THAT(run.refusal({}), ContainsSubstring("'depthwise' is a convolution in 3 groups"));
}
