#include <cstdint>
#include <numeric>
#include <optional>
#include <set>
#include <stdexcept>
#include <string>
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
using hob::data::MicroBatch;
using hob::data::Source;
using hob::data::Window;
using hob::data::WindowRange;
using hob::test::elements;
using hob::test::fake_error;
using hob::test::FakeDataset;
using hob::test::FakeObjective;
using hob::test::FakeTransform;
using hob::test::make_field;
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

Ids joined(const std::vector<Ids>& windows) {
  Ids all;
  for (const Ids& ids : windows) all.insert(all.end(), ids.begin(), ids.end());
  return all;
}

}  // namespace

TEST_CASE("a window is cut into micro-batches, the last one short", "[data]") {
  FakeDataset dataset;
  dataset.samples = 12;
  dataset.fields.push_back(make_field("pair", HOB_INT32, {2}));
  dataset.on_read = [](std::uint64_t index, auto out) -> hob_error* {
    hob::test::value<std::int64_t>(out[0]) = static_cast<std::int64_t>(index);
    auto* pair = static_cast<std::int32_t*>(out[1].data);
    pair[0] = static_cast<std::int32_t>(index);
    pair[1] = -pair[0];
    return nullptr;
  };
  const Source source = source_of(dataset);
  Loader loader(source, {.batch_size = 8, .micro_batch = 3, .shuffle = false, .epochs = 1});
  const auto window = loader.next_window();
  REQUIRE(window);
  CHECK(window->range() == WindowRange{0, 0, 8});
  CHECK(window->samples() == 8);
  CHECK_FALSE(window->ends_epoch());
  REQUIRE(window->micro_batches().size() == 3);
  const MicroBatch& second = window->micro_batches()[1];
  CHECK(second.count == 3);
  CHECK(std::vector(second.indices.begin(), second.indices.end()) ==
        std::vector<std::uint64_t>{3, 4, 5});
  REQUIRE(second.fields.size() == 2);
  CHECK(std::string(second.fields[1].name) == "pair");
  const hob_view& pair = second.fields[1].view;  // (3, 2) int32
  CHECK(pair.dtype == HOB_INT32);
  CHECK(pair.rank == 2);
  CHECK(pair.shape[0] == 3);
  CHECK(pair.shape[1] == 2);
  CHECK(pair.stride[0] == 2);
  CHECK(pair.stride[1] == 1);
  CHECK(elements<std::int32_t>(second, 1) == std::vector<std::int32_t>{3, -3, 4, -4, 5, -5});
  CHECK(window->micro_batches()[2].count == 2);
  CHECK(window->micro_batches()[2].fields[0].view.shape[0] == 2);
  for (const MicroBatch& micro : window->micro_batches()) {
    for (const hob_named_view& field : micro.fields) {
      CHECK(reinterpret_cast<std::uintptr_t>(field.view.data) % 64 == 0);
    }
  }
}

// case ACC-03, ACC-04
TEST_CASE("five samples in batches of two make three updates an epoch", "[data]") {
  FakeDataset dataset;
  dataset.samples = 5;
  const Source source = source_of(dataset);
  const std::uint64_t micro = GENERATE(1u, 2u);
  Loader loader(source, {.batch_size = 2, .micro_batch = micro, .shuffle = false, .epochs = 3});
  CHECK(loader.updates_per_epoch() == 3);
  const std::vector<Ids> epoch{{0, 1}, {2, 3}, {4}};
  std::vector<Ids> all;
  for (int e = 0; e < 3; ++e) all.insert(all.end(), epoch.begin(), epoch.end());
  CHECK(read_windows(loader) == all);
}

// case LDR-01
TEST_CASE("seven samples are one short batch of sixteen, and none with drop_last", "[data]") {
  FakeDataset dataset;
  dataset.samples = 7;
  const Source source = source_of(dataset);
  LoaderOptions options{.batch_size = 16, .micro_batch = 16, .shuffle = false, .epochs = 1};
  Loader loader(source, options);
  CHECK(loader.updates_per_epoch() == 1);
  CHECK(read_windows(loader) == std::vector<Ids>{{0, 1, 2, 3, 4, 5, 6}});

  options.drop_last = true;
  CHECK_THROWS_MATCHES(
      Loader(source, options), Error,
      MessageMatches(ContainsSubstring("dataset.train (fake): there are 7 samples, "
                                       "loader.batch_size is 16, and loader.drop_last")));
}

TEST_CASE("with drop_last the short batch of each epoch is left out", "[data]") {
  FakeDataset dataset;
  dataset.samples = 5;
  const Source source = source_of(dataset);
  Loader loader(
      source,
      {.batch_size = 2, .micro_batch = 2, .shuffle = false, .drop_last = true, .epochs = 2});
  CHECK(read_windows(loader) == std::vector<Ids>{{0, 1}, {2, 3}, {0, 1}, {2, 3}});
}

// case LDR-05
TEST_CASE("every epoch is a permutation of its own, the same for the same seed", "[data]") {
  FakeDataset dataset;
  dataset.samples = 20;
  const Source source = source_of(dataset);
  const LoaderOptions options{.batch_size = 20, .micro_batch = 8, .seed = 5, .epochs = 3};
  Loader loader(source, options);
  const std::vector<Ids> epochs = read_windows(loader);
  REQUIRE(epochs.size() == 3);
  for (const Ids& epoch : epochs) {
    const std::set<std::int64_t> once(epoch.begin(), epoch.end());
    CHECK((epoch.size() == 20 && once.size() == 20 && *once.begin() == 0 && *once.rbegin() == 19));
  }
  CHECK(epochs[0] != epochs[1]);
  CHECK(epochs[1] != epochs[2]);
  Loader again(source, options);
  CHECK(read_windows(again) == epochs);
}

TEST_CASE("an evaluation goes over all samples in order, as often as it is asked to", "[data]") {
  FakeDataset dataset;
  dataset.samples = 5;
  const Source source = source_of(dataset);
  const std::uint64_t threads = GENERATE(0u, 2u);
  Loader loader(source, {.batch_size = 2,
                         .micro_batch = 2,
                         .threads = threads,
                         .prefetch = 2,
                         .shuffle = false,
                         .epochs = 1});
  for (int pass = 0; pass < 3; ++pass) {
    loader.seek({});
    CHECK(read_windows(loader) == std::vector<Ids>{{0, 1}, {2, 3}, {4}});
    CHECK_FALSE(loader.next_window());
  }
}

TEST_CASE("a window knows whether it is the last of its epoch", "[data]") {
  FakeDataset dataset;
  dataset.samples = 5;
  const Source source = source_of(dataset);
  const bool drop_last = GENERATE(false, true);
  Loader loader(source, {.batch_size = 2, .micro_batch = 2, .drop_last = drop_last, .epochs = 2});
  std::vector<bool> ends;
  while (const auto window = loader.next_window()) ends.push_back(window->ends_epoch());
  CHECK(ends == (drop_last ? std::vector<bool>{false, true, false, true}
                           : std::vector<bool>{false, false, true, false, false, true}));
}

// case LDR-03
TEST_CASE("an augmentation differs for each sample and epoch, and is the same for one seed",
          "[data]") {
  FakeDataset dataset;  // eight times the same picture
  dataset.on_read = [](std::uint64_t, auto out) -> hob_error* {
    hob::test::value<std::int64_t>(out[0]) = 1;
    return nullptr;
  };
  FakeTransform crop;
  crop.on_apply = [](const hob_sample& sample, auto, auto out) -> hob_error* {
    hob::test::value<std::uint64_t>(out[0]) = hob::test::draw(sample);
    return nullptr;
  };
  const Source source(dataset.instance(), {crop.instance(42)}, take_fake_error);
  const auto read_all = [&](std::uint64_t threads) {
    Loader loader(source, {.batch_size = 8,
                           .micro_batch = 2,
                           .threads = threads,
                           .prefetch = 2,
                           .seed = 42,
                           .epochs = 2});
    return joined(read_windows(loader));
  };
  const Ids drawn = read_all(4);
  CHECK(drawn.size() == 16);
  CHECK(std::set<std::int64_t>(drawn.begin(), drawn.end()).size() == 16);
  CHECK(read_all(4) == drawn);
  CHECK(read_all(0) == drawn);
}

TEST_CASE("an objective weighs each micro-batch, and the window has the sums", "[data]") {
  FakeDataset dataset;
  dataset.samples = 5;
  const Source source = source_of(dataset);
  FakeObjective objective;
  objective.on_weights = [](std::span<const hob_named_view> batch, double* out) -> hob_error* {
    const hob_view& ids = batch[0].view;
    const auto* begin = static_cast<const std::int64_t*>(ids.data);
    out[0] = static_cast<double>(ids.shape[0]);
    out[1] = static_cast<double>(std::accumulate(begin, begin + ids.shape[0], std::int64_t{0}));
    return nullptr;
  };
  const std::uint64_t micro = GENERATE(1u, 2u, 3u, 5u);
  Loader loader(source, {.batch_size = 3, .micro_batch = micro, .shuffle = false, .epochs = 1},
                objective.instance({"count", "sum"}));
  auto first = loader.next_window();
  REQUIRE(first);
  CHECK(std::vector(first->weights().begin(), first->weights().end()) == std::vector<double>{3, 3});
  CHECK(first->micro_batches()[0].weights[0] == double(std::min<std::uint64_t>(micro, 3)));
  const Window held = std::move(*first);
  CHECK(held.weights()[1] == 3);
}

TEST_CASE("a weight that is no weight ends the run, with the term's name", "[data]") {
  FakeDataset dataset;
  const Source source = source_of(dataset);
  FakeObjective objective;
  const double weight = GENERATE(-1.0, std::numeric_limits<double>::quiet_NaN(),
                                 std::numeric_limits<double>::infinity());
  objective.on_weights = [&](std::span<const hob_named_view>, double* out) -> hob_error* {
    *out = weight;
    return nullptr;
  };
  Loader loader(source, {.batch_size = 2, .micro_batch = 2}, objective.instance());
  CHECK_THROWS_MATCHES(
      loader.next_window(), Error,
      MessageMatches(ContainsSubstring("objective (fake): term 'loss' has weight") &&
                     ContainsSubstring("it must be finite and not negative")));
}

TEST_CASE("an error of the objective comes through", "[data]") {
  FakeDataset dataset;
  const Source source = source_of(dataset);
  FakeObjective objective;
  objective.on_weights = [](std::span<const hob_named_view>, double*) {
    return fake_error(HOB_ERROR_INVALID, "the batch has no field 'label'");
  };
  Loader loader(source, {.batch_size = 2, .micro_batch = 2}, objective.instance());
  CHECK_THROWS_MATCHES(
      loader.next_window(), Error,
      MessageMatches(ContainsSubstring("objective (fake): the batch has no field 'label'")));
  CHECK(hob::test::FakeError::alive == 0);
}

TEST_CASE("more windows than agreed cannot be out, nor one across a seek", "[data]") {
  FakeDataset dataset;
  const Source source = source_of(dataset);
  Loader loader(source, {.batch_size = 2, .micro_batch = 1, .windows_out = 2});
  auto first = loader.next_window();
  const auto second = loader.next_window();
  CHECK_THROWS_AS(loader.next_window(), std::logic_error);
  CHECK_THROWS_AS(loader.seek({}), std::logic_error);
  const Ids kept = elements(*second);
  first->release();
  first->release();
  CHECK(first->micro_batches().empty());
  CHECK(first->range() == WindowRange{0, 0, 2});
  const auto third = loader.next_window();
  REQUIRE(third);
  CHECK(third->range() == WindowRange{0, 4, 2});
  CHECK(elements(*second) == kept);
}

TEST_CASE("the loader takes its memory from the allocator it was given, once", "[data]") {
  FakeDataset dataset;
  dataset.samples = 64;
  const Source source = source_of(dataset);
  int given = 0, alive = 0;
  const hob::data::Allocate allocate = [&](std::size_t bytes) {
    ++given;
    ++alive;
    hob::data::Buffer plain = hob::data::allocate_plain(bytes);
    const auto free_plain = plain.get_deleter();
    return hob::data::Buffer(plain.release(), [&alive, free_plain](std::byte* memory) {
      --alive;
      free_plain(memory);
    });
  };
  {
    Loader loader(source,
                  {.batch_size = 8, .micro_batch = 4, .threads = 2, .prefetch = 3, .epochs = 4}, {},
                  allocate);
    CHECK(given == 2 + 3);
    CHECK(joined(read_windows(loader)).size() == 4 * 64);
    CHECK(given == 2 + 3);
  }
  CHECK(alive == 0);
}

TEST_CASE("memory and threads that are not to be had are errors", "[data]") {
  FakeDataset dataset;
  dataset.fields = {make_field("huge", HOB_UINT8, {std::int64_t{1} << 47})};
  dataset.samples = std::uint64_t{1} << 40;
  const Source source = source_of(dataset);
  const hob::data::Allocate nothing = [](std::size_t) -> hob::data::Buffer {
    throw std::bad_alloc();
  };
  CHECK_THROWS_MATCHES(Loader(source, {}, {}, nothing), Error,
                       MessageMatches(ContainsSubstring("no memory for 128 TiB of samples")));
  CHECK_THROWS_MATCHES(Loader(source, {.batch_size = 1 << 17, .micro_batch = 1 << 17}), Error,
                       MessageMatches(ContainsSubstring("131072 samples are more than memory")));
  FakeDataset small;
  const Source ids = source_of(small);
  CHECK_THROWS_MATCHES(Loader(ids, {.threads = 1'000'000'000}), Error,
                       MessageMatches(ContainsSubstring("loader.threads is 1000000000")));
}
