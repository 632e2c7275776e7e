#include <cstdint>
#include <optional>
#include <vector>

#include <catch2/catch_test_macros.hpp>
#include <catch2/generators/catch_generators.hpp>
#include <catch2/matchers/catch_matchers_exception.hpp>
#include <catch2/matchers/catch_matchers_string.hpp>

#include "base/error.h"
#include "data/loader.h"
#include "unit/data/fake_data.h"

namespace {

using Catch::Matchers::ContainsSubstring;
using Catch::Matchers::MessageMatches;
using hob::Error;
using hob::data::Loader;
using hob::data::LoaderOptions;
using hob::data::LoaderState;
using hob::data::Source;
using hob::data::Window;
using hob::test::elements;
using hob::test::FakeDataset;
using hob::test::take_fake_error;

using Ids = std::vector<std::int64_t>;

Source source_of(FakeDataset& dataset) {
  return Source(dataset.instance(), {}, take_fake_error);
}

// The ids of the next `limit` windows, one list a window.
std::vector<Ids> read_windows(Loader& loader, std::size_t limit = 1000) {
  std::vector<Ids> windows;
  while (windows.size() < limit) {
    const std::optional<Window> window = loader.next_window();
    if (!window) break;
    windows.push_back(elements(*window));
  }
  return windows;
}

}  // namespace

// case RES-01, RES-03
TEST_CASE("a run resumed in the midst of an epoch reads the tail of that epoch", "[data]") {
  FakeDataset dataset;
  dataset.samples = 23;
  const Source source = source_of(dataset);
  const std::uint64_t threads = GENERATE(0u, 3u);
  const LoaderOptions options{
      .batch_size = 4, .micro_batch = 2, .threads = threads, .prefetch = 3, .seed = 9, .epochs = 4};
  Loader straight(source, options);
  const std::vector<Ids> all = read_windows(straight);
  REQUIRE(all.size() == 4 * 6);

  for (std::size_t stop : {1u, 10u, 15u, 18u, 24u}) {
    Loader before(source, options);
    std::vector<Ids> parts = read_windows(before, stop);
    Loader after(source, options, {}, hob::data::allocate_plain, before.state());
    const std::vector<Ids> rest = read_windows(after);
    parts.insert(parts.end(), rest.begin(), rest.end());
    CHECK(parts == all);
  }
}

// case RES-05
TEST_CASE("two stops within one epoch change nothing", "[data]") {
  FakeDataset dataset;
  dataset.samples = 20;
  const Source source = source_of(dataset);
  const LoaderOptions options{.batch_size = 2, .micro_batch = 2, .seed = 3, .epochs = 1};
  Loader straight(source, options);
  const std::vector<Ids> all = read_windows(straight);

  std::vector<Ids> parts;
  LoaderState state;
  for (std::size_t windows : {2u, 3u, 100u}) {
    Loader part(source, options, {}, hob::data::allocate_plain, state);
    for (Ids& ids : read_windows(part, windows)) parts.push_back(std::move(ids));
    state = part.state();
  }
  CHECK(parts == all);
  CHECK(state == LoaderState{20, 20, {}});
}

TEST_CASE("a window says where the run stands once its update is done", "[data]") {
  FakeDataset dataset;
  dataset.samples = 5;
  const Source source = source_of(dataset);
  Loader loader(source, {.batch_size = 2, .micro_batch = 1, .epochs = 2, .windows_out = 2});
  const auto first = loader.next_window();
  const auto second = loader.next_window();
  REQUIRE((first && second));
  CHECK(first->state_after() == LoaderState{2, 5, {}});
  CHECK(second->state_after() == LoaderState{4, 5, {}});
  CHECK(loader.state() == second->state_after());
}

// case RES-09
TEST_CASE("a position counts samples, so that another batch size goes on from it", "[data]") {
  FakeDataset dataset;
  dataset.samples = 10;
  const Source source = source_of(dataset);
  Loader before(source, {.batch_size = 4, .micro_batch = 4, .shuffle = false});
  read_windows(before, 1);
  Loader after(source, {.batch_size = 5, .micro_batch = 5, .shuffle = false, .epochs = 1}, {},
               hob::data::allocate_plain, before.state());
  CHECK(read_windows(after) == std::vector<Ids>{{4, 5, 6, 7, 8}, {9}});
}

TEST_CASE("a state that does not fit the dataset is refused", "[data]") {
  FakeDataset dataset;
  dataset.samples = 10;
  const Source source = source_of(dataset);
  Loader loader(source, {.batch_size = 2, .micro_batch = 2});
  CHECK_THROWS_MATCHES(loader.seek({4, 12, {}}), Error,
                       MessageMatches(ContainsSubstring("with 12 samples, and now there are 10")));
  CHECK_THROWS_MATCHES(loader.seek({~std::uint64_t{0}, 10, {}}), Error,
                       MessageMatches(ContainsSubstring("18446744073709551615 samples")));
  CHECK_THROWS_AS(loader.seek({0, 10, {10}}), Error);
  CHECK_THROWS_AS(loader.seek({0, 10, {3, 3}}), Error);
  CHECK_THROWS_AS(loader.seek({0, 10, {3, 2}}), Error);
  CHECK_NOTHROW(loader.seek({4, 10, {2, 3}}));
}
