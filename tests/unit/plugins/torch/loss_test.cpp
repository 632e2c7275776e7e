#include <ATen/ops/allclose.h>
#include <ATen/ops/cross_entropy_loss.h>
#include <ATen/ops/full.h>
#include <ATen/ops/randint.h>
#include <ATen/ops/randn.h>
#include <ATen/ops/tensor.h>
#include <hob/abi/metric.h>
#include <hob/abi/objective.h>

#include <cmath>

#include "unit/plugins/torch/plugin_run.h"

using namespace hob;
using namespace hob::test;
using Catch::Matchers::ContainsSubstring;

namespace {

// The loss or the metric of one batch.
struct BatchRun {
  at::Tensor logits, label;
  hob_named_tensor outputs[1] = {{"logits", borrow(logits)}};
  hob_named_tensor batch[1] = {{"label", borrow(label)}};

  BatchRun(at::Tensor z, at::Tensor y) : logits(std::move(z)), label(std::move(y)) {}

  template <class Table>
  at::Tensor sums(const host::Instance& instance) const {
    hob_tensor* out = nullptr;
    instance.call(&Table::sums, outputs, uint32_t{1}, batch, uint32_t{1}, &out);
    return take(out);
  }
  double weight(const host::Instance& objective) const {
    const at::Tensor host = label.contiguous();
    hob_named_view view{"label", {}};
    view.view.data = host.data_ptr();
    view.view.dtype = static_cast<uint32_t>(host.scalar_type());
    view.view.rank = static_cast<uint32_t>(host.dim());
    for (int64_t i = 0; i < host.dim(); ++i) view.view.shape[i] = host.size(i);
    double out = -1;
    objective.call(&hob_objective::weights, &view, uint32_t{1}, &out);
    return out;
  }
};

std::unique_ptr<host::Instance> make(const std::string& id, const Overrides& overrides = {}) {
  return first_party().make(component(id, overrides), "tested", 1, nullptr);
}
std::vector<double> numbers(const at::Tensor& t) {
  REQUIRE(t.scalar_type() == at::kDouble);
  return {t.data_ptr<double>(), t.data_ptr<double>() + t.numel()};
}

}  // namespace

TEST_CASE("cross_entropy is LibTorch's sum, in float32, with its gradient", "[cross_entropy]") {
  const at::Tensor z = at::randn({6, 4}).to(at::kBFloat16).set_requires_grad(true);
  const at::Tensor y = at::randint(0, 4, {6}, at::kLong);
  const auto loss = make("org.hob.cross_entropy", {{"label_smoothing", 0.2}});
  const BatchRun run(z, y);
  const at::Tensor sum = run.sums<hob_objective>(*loss);
  CHECK(sum.scalar_type() == at::kFloat);
  const at::Tensor wanted =
      at::cross_entropy_loss(z.to(at::kFloat), y, {}, at::Reduction::Sum, -100, 0.2);
  CHECK(at::allclose(sum, wanted));
  sum.backward();
  CHECK(z.grad().defined());
  CHECK(run.weight(*loss) == 6);
}

TEST_CASE("cross_entropy takes the tokens of a text, and ignores what it is told to",
          "[cross_entropy]") {
  const at::Tensor z = at::randn({2, 3, 5});
  const at::Tensor y = at::tensor({0, 4, -100, 2, -100, 1}, at::kLong).reshape({2, 3});
  const auto loss = make("org.hob.cross_entropy");
  const BatchRun run(z, y);
  CHECK(run.weight(*loss) == 4);
  const at::Tensor wanted =
      at::cross_entropy_loss(z.reshape({6, 5}), y.flatten(), {}, at::Reduction::Sum);
  CHECK(at::allclose(run.sums<hob_objective>(*loss), wanted));

  const auto padded = make("org.hob.cross_entropy", {{"ignore_index", int64_t{0}}});
  const BatchRun zeros(z, y.clamp_min(0));
  CHECK(zeros.weight(*padded) == 3);
}

TEST_CASE("cross_entropy of parts adds up to that of the whole", "[cross_entropy]") {
  const at::Tensor z = at::randn({7, 3}, at::kDouble);
  const at::Tensor y = at::tensor({0, 1, 2, -100, 1, 0, -100}, at::kLong);
  const auto loss = make("org.hob.cross_entropy", {{"label_smoothing", 0.1}});
  const BatchRun whole(z, y), a(z.narrow(0, 0, 5), y.narrow(0, 0, 5)),
      b(z.narrow(0, 5, 2), y.narrow(0, 5, 2));
  CHECK(whole.weight(*loss) == a.weight(*loss) + b.weight(*loss));
  CHECK(at::allclose(whole.sums<hob_objective>(*loss),
                     a.sums<hob_objective>(*loss) + b.sums<hob_objective>(*loss), 1e-12));
}

TEST_CASE("cross_entropy refuses shapes, types and labels that do not fit", "[cross_entropy]") {
  const auto loss = make("org.hob.cross_entropy");
  const at::Tensor y = at::full({4}, 1, at::kLong);
  CHECK_THAT(message_of([&] {
               BatchRun(at::randn({5, 3}), y).sums<hob_objective>(*loss);
             }),
             ContainsSubstring("'logits' is (5, 3) and 'label' is (4)"));
  CHECK_THAT(message_of([&] {
               BatchRun(at::randn({}), at::full({}, 1, at::kLong)).sums<hob_objective>(*loss);
             }),
             ContainsSubstring("'logits' is ()"));
  CHECK_THAT(message_of([&] {
               BatchRun(at::randn({4, 3}), y.to(at::kInt)).weight(*loss);
             }),
             ContainsSubstring("'label' is not int64"));
  CHECK_THAT(message_of([&] {
               BatchRun(at::randn({4, 3}), y - 2).weight(*loss);
             }),
             ContainsSubstring("holds -1, which is neither a class nor ignore_index"));
  const auto other = make("org.hob.cross_entropy", {{"logits", std::string("z")}});
  CHECK_THAT(message_of([&] {
               BatchRun(at::randn({4, 3}), y).sums<hob_objective>(*other);
             }),
             ContainsSubstring("no tensor 'z' here; there are: 'logits'"));
}

TEST_CASE("accuracy counts right answers among those that count", "[accuracy]") {
  const at::Tensor z = at::tensor({3., 2., 1., 0., 5., 1., 2., 1., 9.}).reshape({3, 3});
  const at::Tensor y = at::tensor({0, 2, -100}, at::kLong);
  const BatchRun run(z, y);
  CHECK(numbers(run.sums<hob_metric>(*make("org.hob.accuracy"))) == std::vector<double>{1, 2});
  const auto top2 = make("org.hob.accuracy", {{"k", int64_t{2}}});
  CHECK(numbers(run.sums<hob_metric>(*top2)) == std::vector<double>{2, 2});
  // 2 is a class, but here the mark of what does not count
  const auto without = make("org.hob.accuracy", {{"ignore_index", int64_t{2}}});
  const BatchRun marked(z, at::tensor({0, 2, 2}, at::kLong));
  CHECK(numbers(marked.sums<hob_metric>(*without)) == std::vector<double>{1, 1});
}

TEST_CASE("accuracy has a name and a value, and none where there was nothing", "[accuracy]") {
  const auto accuracy = make("org.hob.accuracy");
  hob_result results[16];
  uint32_t count = 0;
  accuracy->call(&hob_metric::results, results, uint32_t{16}, &count);
  REQUIRE(count == 1);
  CHECK(results[0].name == std::string("accuracy"));
  CHECK(results[0].direction == HOB_HIGHER_IS_BETTER);
  const double sums[] = {3, 4};
  double out = -1;
  accuracy->call(&hob_metric::finish, sums, uint32_t{2}, &out);
  CHECK(out == 0.75);
  accuracy->call(&hob_metric::finish, sums, uint32_t{0}, &out);
  CHECK(std::isnan(out));
  const auto top5 = make("org.hob.accuracy", {{"k", int64_t{5}}});
  top5->call(&hob_metric::results, results, uint32_t{16}, &count);
  CHECK(results[0].name == std::string("top5"));
  CHECK_THAT(message_of([&] {
               BatchRun(at::randn({1, 3}), at::full({1}, 0, at::kLong)).sums<hob_metric>(*top5);
             }),
             ContainsSubstring("k = 5 of 3 classes"));
}
