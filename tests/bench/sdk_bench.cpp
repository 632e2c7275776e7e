// What the SDK costs: nanoseconds beyond LibTorch's own call, for an operator through the host's
// table, a layer's socket (empty, with one link, with four) and a segment. Prints one JSON object.

#include <ATen/core/grad_mode.h>
#include <ATen/ops/linear.h>
#include <ATen/ops/mul.h>
#include <ATen/ops/randn.h>
#include <hob/native/nn.h>
#include <hob/ops.h>

#include <algorithm>
#include <chrono>
#include <functional>
#include <iostream>
#include <vector>

#include "host/tables/instance.h"

namespace {

using hob::native::Linear;
using hob::native::Scope;
using hob::native::Segment;

// Scope asks a model for its environment; this is all of one that it needs.
struct Model {
  hob_env* handle;
  hob_env* env() const { return handle; }
};

constexpr int kCalls = 20000;
constexpr int kRounds = 15;

double round_ns(const std::function<void()>& call) {
  const auto begin = std::chrono::steady_clock::now();
  for (int i = 0; i < kCalls; ++i) call();
  const std::chrono::duration<double, std::nano> took = std::chrono::steady_clock::now() - begin;
  return took.count() / kCalls;
}

// The median difference of paired rounds: what `call` costs beyond `reference`.
double extra_ns(const std::function<void()>& call, const std::function<void()>& reference) {
  std::vector<double> differences;
  for (int i = 0; i < kRounds; ++i) {
    const double with = round_ns(call);
    differences.push_back(with - round_ns(reference));
  }
  std::sort(differences.begin(), differences.end());
  return differences[kRounds / 2];
}

hob_error* pass_on(const hob_link* self, const hob_layer_call* call, hob_tensor** out) {
  return self->next->call(self->next, call, out);
}

}  // namespace

int main() {
  hob::detail::host = hob::host::host_table();
  const at::NoGradGuard no_grad;
  hob::host::World world(at::kCPU);
  hob_env env{.world = &world, .instance = "bench", .label = "bench", .seed = 0};
  const Scope root(Model{&env});
  const Linear linear(root / "linear", 8, 8);
  const Segment segment(root / "segment");
  const at::Tensor x = at::randn({1, 8});
  const at::Tensor a = at::randn({2, 2});
  const at::Tensor& weight = hob::tensor_of(linear.weight()->value);
  const at::Tensor& bias = hob::tensor_of(linear.bias()->value);

  const auto plain_linear = [&] { at::linear(x, weight, bias); };
  const auto layer = [&] { linear(x); };
  const double operator_ns =
      extra_ns([&] { hob::mul(hob::borrow(a), hob::borrow(a)); }, [&] { at::mul(a, a); });
  const double empty_ns = extra_ns(layer, plain_linear);
  const double segment_ns =
      extra_ns([&] { segment([&](const at::Tensor& v) { return at::mul(v, a); }, a); },
               [&] { at::mul(a, a); });
  const auto install = [&] {
    hob::check(
        hob::sockets_table().install(&env, linear.socket(), HOB_LINK_OBSERVER, pass_on, nullptr));
  };
  install();
  const double one_ns = extra_ns(layer, plain_linear);
  for (int i = 0; i < 3; ++i) install();
  const double four_ns = extra_ns(layer, plain_linear);
  std::cout << "{\"operator_ns\": " << operator_ns << ", \"socket_empty_ns\": " << empty_ns
            << ", \"socket_one_link_ns\": " << one_ns << ", \"socket_four_links_ns\": " << four_ns
            << ", \"segment_kept_ns\": " << segment_ns << "}\n";
  return 0;
}
