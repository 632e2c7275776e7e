#include <hob/abi/schedule.h>

#include <catch2/catch_test_macros.hpp>
#include <cmath>
#include <limits>

#include "unit/plugins/fake_host.h"

using namespace hob::test;

namespace {

double factor(const Instance& schedule, uint64_t update, uint64_t total) {
  double result = -1;
  schedule.call(&hob_schedule::factor, "lr", update, total, &result);
  return result;
}

}  // namespace

TEST_CASE("constant is 1 throughout", "[schedule]") {
  const Instance constant("constant");
  CHECK(factor(constant, 0, 0) == 1);
  CHECK(factor(constant, 7, 10) == 1);
}

TEST_CASE("cosine goes from 1 to its minimum along half a cosine", "[schedule]") {
  const Instance cosine("cosine", {{"min_factor", 0.1}});
  CHECK(factor(cosine, 0, 4) == 1);
  CHECK(std::abs(factor(cosine, 1, 4) - (0.1 + 0.9 * (1 + std::sqrt(0.5)) / 2)) < 1e-15);
  CHECK(std::abs(factor(cosine, 2, 4) - 0.55) < 1e-15);
  CHECK(std::abs(factor(cosine, 4, 4) - 0.1) < 1e-15);
}

TEST_CASE("cosine moves the learning rate alone", "[schedule]") {
  const Instance cosine("cosine");
  double result = 0;
  cosine.call(&hob_schedule::factor, "weight_decay", 3, 4, &result);
  CHECK(result == 1);
}

// cases SCH-05, SCH-06
TEST_CASE("cosine begins with exactly 1 and is finite for every total", "[schedule]") {
  const Instance cosine("cosine");
  for (uint64_t total : {uint64_t{0}, uint64_t{1}, uint64_t{10}, UINT64_MAX}) {
    CHECK(factor(cosine, 0, total) == 1);
    for (uint64_t update : {total / 2, total}) {
      CHECK(std::isfinite(factor(cosine, update, total)));
      CHECK(factor(cosine, update, total) >= 0);
    }
  }
}
