#include <cmath>
#include <cstdint>
#include <map>
#include <optional>
#include <vector>

#include <catch2/catch_test_macros.hpp>
#include <catch2/generators/catch_generators.hpp>

#include "data/order.h"

namespace {

using hob::data::Order;
using hob::data::WindowRange;
using hob::data::Windows;

std::vector<std::uint64_t> epoch_of(const Order& order, std::uint64_t epoch) {
  std::vector<std::uint64_t> samples;
  for (std::uint64_t i = 0; i < order.size(); ++i) samples.push_back(order.sample(epoch, i));
  return samples;
}

// The windows from a position on, `limit` at most.
std::vector<WindowRange> list(const Windows& windows, std::uint64_t position, std::size_t limit) {
  std::vector<WindowRange> result;
  while (result.size() < limit) {
    const std::optional<WindowRange> window = windows.at(position);
    if (!window) break;
    result.push_back(*window);
    position = windows.after(*window);
  }
  return result;
}

}  // namespace

TEST_CASE("an epoch's order holds every sample once", "[data]") {
  const std::uint64_t size = GENERATE(1u, 2u, 3u, 7u, 16u, 1000u, 4096u, 4097u, 65537u);
  const Order order(size, 42, true);
  for (std::uint64_t epoch : {0u, 1u, 77u}) {
    std::vector<int> seen(size, 0);
    for (std::uint64_t sample : epoch_of(order, epoch)) {
      REQUIRE(sample < size);
      ++seen[sample];
    }
    CHECK(seen == std::vector<int>(size, 1));
  }
}

// case LDR-05
TEST_CASE("the order differs between epochs and seeds, and is the same again", "[data]") {
  const Order order(1000, 42, true);
  const auto first = epoch_of(order, 0);
  CHECK(first != epoch_of(Order(1000, 42, false), 0));
  CHECK(first != epoch_of(order, 1));
  CHECK(epoch_of(order, 1) != epoch_of(order, 2));
  CHECK(first != epoch_of(Order(1000, 43, true), 0));
  CHECK(first == epoch_of(Order(1000, 42, true), 0));
}

TEST_CASE("without shuffling every epoch goes from the first sample to the last", "[data]") {
  const Order order(5, 42, false);
  const std::vector<std::uint64_t> straight{0, 1, 2, 3, 4};
  CHECK(epoch_of(order, 0) == straight);
  CHECK(epoch_of(order, 3) == straight);
}

TEST_CASE("all orders of a few samples are about equally frequent", "[data]") {
  const std::uint64_t size = GENERATE(3u, 4u, 5u);
  const std::map<std::uint64_t, std::size_t> factorial{{3, 6}, {4, 24}, {5, 120}};
  const std::size_t orders = factorial.at(size);
  constexpr int kPerOrder = 400;
  std::map<std::vector<std::uint64_t>, int> counts;
  for (std::uint64_t seed = 0; seed < orders * kPerOrder / 10; ++seed) {
    const Order order(size, seed, true);
    for (std::uint64_t epoch = 0; epoch < 10; ++epoch) ++counts[epoch_of(order, epoch)];
  }
  REQUIRE(counts.size() == orders);
  double chi_squared = 0;
  for (const auto& [order, count] : counts) {
    chi_squared += (count - kPerOrder) * double(count - kPerOrder) / kPerOrder;
  }
  // Expected: orders - 1, with a deviation of sqrt(2 * (orders - 1)). Half as much again and ten on
  // top is beyond four deviations for each of these sizes.
  CHECK(chi_squared < 1.5 * double(orders - 1) + 10);
}

TEST_CASE("places and samples of a large dataset are not related", "[data]") {
  const Order order(100'000, 7, true);
  // The mean of 100,000 products of two independent uniform numbers in [-1/2, 1/2] has a deviation
  // of 1/12/sqrt(100,000) = 2.6e-4; four of them are allowed.
  double with_place = 0, with_next = 0;
  for (std::uint64_t i = 0; i + 1 < order.size(); ++i) {
    const auto centred = [&](std::uint64_t v) { return double(v) / double(order.size()) - 0.5; };
    const double here = centred(order.sample(0, i));
    with_place += here * centred(i);
    with_next += here * centred(order.sample(0, i + 1));
  }
  CHECK(std::abs(with_place / double(order.size())) < 1.1e-3);
  CHECK(std::abs(with_next / double(order.size())) < 1.1e-3);
}

TEST_CASE("any place of an order of 2^48 samples is found at once", "[data]") {
  const std::uint64_t size = std::uint64_t{1} << 48;
  const Order order(size, 1, true);
  CHECK(order.sample(3, size - 1) < size);
  CHECK(order.sample(3, size - 1) != order.sample(3, size - 2));
}

// case ACC-03
TEST_CASE("an epoch has its updates rounded up, or down with drop_last", "[data]") {
  CHECK(Windows(5, 2, false, 0).updates_per_epoch() == 3);
  CHECK(Windows(3, 8, false, 0).updates_per_epoch() == 1);
  CHECK(Windows(8, 4, false, 0).updates_per_epoch() == 2);
  CHECK(Windows(5, 2, true, 0).updates_per_epoch() == 2);
}

// case ACC-04
TEST_CASE("no window holds more than a batch, none spans two epochs", "[data]") {
  const std::vector<WindowRange> windows = list(Windows(5, 2, false, 3), 0, 100);
  CHECK(windows == std::vector<WindowRange>{{0, 0, 2},
                                            {0, 2, 2},
                                            {0, 4, 1},  //
                                            {1, 0, 2},
                                            {1, 2, 2},
                                            {1, 4, 1},  //
                                            {2, 0, 2},
                                            {2, 2, 2},
                                            {2, 4, 1}});
}

TEST_CASE("with drop_last the short rest of each epoch is passed over", "[data]") {
  const std::vector<WindowRange> windows = list(Windows(5, 2, true, 2), 0, 100);
  CHECK(windows == std::vector<WindowRange>{{0, 0, 2}, {0, 2, 2}, {1, 0, 2}, {1, 2, 2}});
}

// case RES-03
TEST_CASE("windows go on from any position, without end where no epochs are given", "[data]") {
  CHECK(list(Windows(5, 2, false, 0), 3 * 5 + 2, 3) ==
        std::vector<WindowRange>{{3, 2, 2}, {3, 4, 1}, {4, 0, 2}});
  // A position that another batch size left behind.
  CHECK(list(Windows(5, 4, false, 0), 3, 2) == std::vector<WindowRange>{{0, 3, 2}, {1, 0, 4}});
  CHECK(list(Windows(5, 4, true, 0), 3, 1) == std::vector<WindowRange>{{1, 0, 4}});
}

TEST_CASE("there is no window after the last epoch", "[data]") {
  CHECK(list(Windows(5, 2, false, 3), 15, 1).empty());
  CHECK(list(Windows(5, 2, true, 3), 14, 1).empty());
}
