#include <catch2/catch_test_macros.hpp>
#include <catch2/matchers/catch_matchers_string.hpp>
#include <cmath>

#include "unit/plugins/fake_host.h"

using namespace hob::test;
using Catch::Matchers::ContainsSubstring;
using Ints = std::vector<int64_t>;

namespace {

std::vector<float> image(const Instance& dataset, uint64_t index) {
  auto sample = read_sample(dataset, index);
  const auto values = sample[0].as<float>();
  return {values.begin(), values.end()};
}

}  // namespace

TEST_CASE("synthetic samples depend on seed and index alone", "[synthetic]") {
  const Overrides params{{"shape", Ints{2, 3}}, {"classes", int64_t{4}}};
  const Instance a("synthetic", params, 9);
  const Instance b("synthetic", params, 9);
  const Instance other("synthetic", params, 10);
  for (uint64_t i : {0, 5, 1023}) {
    CHECK(image(a, i) == image(b, i));
    CHECK(image(a, i) != image(other, i));
    CHECK(read_sample(a, i)[1].as<int64_t>()[0] == static_cast<int64_t>(i % 4));
  }
}

TEST_CASE("synthetic datasets of one seed share their patterns, whatever the noise",
          "[synthetic]") {
  Overrides params{{"shape", Ints{5}}, {"noise", 0.0}};
  const Instance train("synthetic", params, 1);
  const Instance eval("synthetic", params, 2);
  CHECK(image(train, 3) == image(eval, 13));
  CHECK(image(train, 3) != image(eval, 4));
  params["seed"] = int64_t{1};
  CHECK(image(train, 3) != image(Instance("synthetic", params, 1), 3));
}

TEST_CASE("synthetic noise has the deviation that was asked for", "[synthetic]") {
  const Overrides clean{{"shape", Ints{10000}}, {"noise", 0.0}};
  const Overrides noisy{{"shape", Ints{10000}}, {"noise", 2.0}};
  const auto pattern = image(Instance("synthetic", clean), 0);
  const auto sample = image(Instance("synthetic", noisy), 0);
  double sum = 0, squares = 0;
  for (size_t i = 0; i < pattern.size(); ++i) {
    const double n = sample[i] - pattern[i];
    sum += n;
    squares += n * n;
  }
  CHECK(std::abs(sum / 10000) < 0.1);                     // 5 standard errors
  CHECK(std::abs(std::sqrt(squares / 10000) - 2) < 0.1);  // about 8
}

TEST_CASE("synthetic takes a scalar shape, and refuses more than it can hold", "[synthetic]") {
  CHECK(image(Instance("synthetic", {{"shape", Ints{}}}), 0).size() == 1);
  for (const Ints& shape : {Ints{1 << 20, 1 << 20, 1 << 20, 1 << 20}, Ints{1 << 28}}) {
    CHECK_THROWS_WITH(Instance("synthetic", {{"shape", shape}}), ContainsSubstring("exceed 1 GiB"));
  }
  CHECK_THROWS_WITH(fields_of(Instance("synthetic", {{"shape", Ints(9, 1)}})),
                    ContainsSubstring("9 dimensions"));
}
