// A model that measures what the SDK costs a plugin; sdk_bench runs it.

#include <ATen/core/grad_mode.h>
#include <ATen/ops/linear.h>
#include <ATen/ops/mul.h>
#include <ATen/ops/randn.h>
#include <ATen/ops/tensor.h>
#include <hob/native/model.h>
#include <hob/native/nn.h>
#include <hob/ops.h>

#include <algorithm>
#include <chrono>
#include <functional>
#include <vector>

namespace {

using namespace hob::native;

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

class SdkBench : public Model<hob::NoConfig> {
 public:
  std::vector<const char*> inputs() const override { return {}; }

  // Nanoseconds beyond LibTorch's own call: an operator through the host's table; a socket that is
  // empty, with one link, with four; a segment that is kept.
  Outputs forward(const Batch&) override {
    const at::NoGradGuard no_grad;
    const at::Tensor x = at::randn({1, 8});
    const at::Tensor a = at::randn({2, 2});
    const at::Tensor& weight = hob::tensor_of(linear_.weight()->value);
    const at::Tensor& bias = hob::tensor_of(linear_.bias()->value);
    const auto plain = [&] { at::linear(x, weight, bias); };
    const auto layer = [&] { linear_(x); };
    const auto multiply = [&] { at::mul(a, a); };
    std::vector<double> costs;
    costs.push_back(extra_ns([&] { hob::mul(hob::borrow(a), hob::borrow(a)); }, multiply));
    costs.push_back(extra_ns(layer, plain));
    install(1);
    costs.push_back(extra_ns(layer, plain));
    install(3);
    costs.push_back(extra_ns(layer, plain));
    costs.push_back(extra_ns(
        [&] { segment_([&](const at::Tensor& v) { return at::mul(v, a); }, a); }, multiply));
    return {{"costs", at::tensor(costs, at::kDouble)}};
  }

 private:
  void install(int links) {
    for (int i = 0; i < links; ++i) {
      hob::check(hob::sockets_table().install(env(), linear_.socket(), HOB_LINK_OBSERVER, pass_on,
                                              nullptr));
    }
  }

  Scope root_{*this};
  Linear linear_{root_ / "linear", 8, 8};
  Segment segment_{root_ / "segment"};
};

}  // namespace

HOB_PLUGIN("org.hob.test.sdk_bench", "1.0.0",
           hob::add<SdkBench>("sdk_bench", "Measures what the SDK costs"))
