#include <atomic>
#include <chrono>
#include <cstdint>
#include <cstring>
#include <mutex>
#include <optional>
#include <set>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include <catch2/catch_test_macros.hpp>
#include <catch2/generators/catch_generators.hpp>
#include <catch2/matchers/catch_matchers_exception.hpp>
#include <catch2/matchers/catch_matchers_string.hpp>

#include "base/error.h"
#include "data/loader.h"
#include "unit/data/fake_data.h"

namespace {

using namespace std::chrono_literals;
using Catch::Matchers::ContainsSubstring;
using Catch::Matchers::MessageMatches;
using hob::Error;
using hob::data::Loader;
using hob::data::LoaderOptions;
using hob::data::MicroBatch;
using hob::data::Source;
using hob::test::elements;
using hob::test::fake_error;
using hob::test::FakeDataset;
using hob::test::FakeTransform;
using hob::test::make_field;
using hob::test::take_fake_error;

constexpr std::int64_t kPixels = 33;

// Pictures of bytes that become floats which depend on seed, epoch and index.
struct Pictures {
  FakeDataset dataset;
  FakeTransform noise;

  Pictures() {
    dataset.samples = 101;
    dataset.fields = {make_field("image", HOB_UINT8, {kPixels}),
                      make_field("label", HOB_INT64, {}, 101)};
    dataset.on_read = [](std::uint64_t index, auto out) -> hob_error* {
      std::memset(out[0].data, static_cast<int>(index), kPixels);
      hob::test::value<std::int64_t>(out[1]) = static_cast<std::int64_t>(index);
      return nullptr;
    };
    noise.on_plan = [](auto in, hob_field* out) -> hob_error* {
      out[0] = make_field("image", HOB_FLOAT32, {kPixels});
      out[1] = in[1];
      return nullptr;
    };
    noise.on_apply = [](const hob_sample& sample, auto in, auto out) -> hob_error* {
      const auto* from = static_cast<const std::uint8_t*>(in[0].data);
      auto* to = static_cast<float*>(out[0].data);
      const auto shift = static_cast<float>(hob::test::draw(sample) % 1000);
      for (std::int64_t i = 0; i < kPixels; ++i) to[i] = static_cast<float>(from[i] + i) + shift;
      hob::test::value<std::int64_t>(out[1]) = hob::test::value<std::int64_t>(in[1]);
      return nullptr;
    };
  }

  Source source() { return Source(dataset.instance(), {noise.instance(8)}, take_fake_error); }
};

// All bytes of all windows, in order.
std::string bytes_of(Loader& loader) {
  std::string all;
  while (const auto window = loader.next_window()) {
    for (const MicroBatch& micro : window->micro_batches()) {
      for (std::size_t f = 0; f < micro.fields.size(); ++f) {
        const std::size_t row = f == 0 ? kPixels * sizeof(float) : sizeof(std::int64_t);
        all.append(static_cast<const char*>(micro.fields[f].view.data), micro.count * row);
      }
    }
  }
  return all;
}

}  // namespace

TEST_CASE("any number of threads gives the same bytes", "[data]") {
  Pictures pictures;
  const Source source = pictures.source();
  LoaderOptions options{.batch_size = 16, .micro_batch = 5, .prefetch = 4, .seed = 1, .epochs = 3};
  Loader alone(source, options);
  const std::string expected = bytes_of(alone);
  CHECK(expected.size() == 3 * 101 * (kPixels * sizeof(float) + sizeof(std::int64_t)));

  options.threads = GENERATE(1u, 2u, 4u, 9u);
  options.prefetch = GENERATE(0u, 1u, 7u);
  options.windows_out = GENERATE(1u, 3u);
  Loader loader(source, options);
  CHECK(bytes_of(loader) == expected);
}

TEST_CASE("several threads share one micro-batch", "[data]") {
  FakeDataset dataset;
  std::mutex mutex;
  std::set<std::thread::id> readers;
  dataset.on_read = [&](std::uint64_t, auto) -> hob_error* {
    const std::lock_guard lock(mutex);
    readers.insert(std::this_thread::get_id());
    return nullptr;
  };
  // Whoever comes first waits for the other: a micro-batch of one thread alone would never end.
  std::atomic<int> inside = 0;
  FakeTransform meet;
  meet.on_apply = [&](const hob_sample& sample, auto, auto) -> hob_error* {
    if (sample.index < 2) {
      ++inside;
      while (inside < 2) std::this_thread::yield();
    }
    return nullptr;
  };
  const Source source(dataset.instance(), {meet.instance()}, take_fake_error);
  Loader loader(source,
                {.batch_size = 8, .micro_batch = 8, .threads = 2, .shuffle = false, .epochs = 1});
  REQUIRE(loader.next_window());
  CHECK(readers.size() == 2);
  CHECK(readers.count(std::this_thread::get_id()) == 0);
}

TEST_CASE("without threads the caller decodes, and nothing is read ahead", "[data]") {
  FakeDataset dataset;
  int read = 0;
  dataset.on_read = [&, caller = std::this_thread::get_id()](std::uint64_t, auto) -> hob_error* {
    CHECK(std::this_thread::get_id() == caller);
    ++read;
    return nullptr;
  };
  const Source source(dataset.instance(), {}, take_fake_error);
  Loader loader(source, {.batch_size = 3, .micro_batch = 2, .prefetch = 4});
  CHECK(read == 0);
  REQUIRE(loader.next_window());
  CHECK(read == 3);
}

TEST_CASE("threads read no further ahead than prefetch allows", "[data]") {
  FakeDataset dataset;
  dataset.samples = 1000;
  std::atomic<int> read = 0;
  dataset.on_read = [&](std::uint64_t, auto) -> hob_error* {
    ++read;
    return nullptr;
  };
  const Source source(dataset.instance(), {}, take_fake_error);
  Loader loader(source, {.batch_size = 4, .micro_batch = 2, .threads = 2, .prefetch = 3});
  const auto window = loader.next_window();
  // A window's two micro-batches, and three ahead of it.
  const auto deadline = std::chrono::steady_clock::now() + 10s;
  while (read < 10 && std::chrono::steady_clock::now() < deadline) std::this_thread::yield();
  std::this_thread::sleep_for(20ms);
  CHECK(read == 10);
}

TEST_CASE("an error of a worker comes at its own window, after those before it", "[data]") {
  FakeDataset dataset;
  dataset.samples = 100;
  dataset.on_read = [](std::uint64_t index, auto out) -> hob_error* {
    if (index == 11 || index == 9) return fake_error(HOB_ERROR_FAILED, "the disk is gone");
    hob::test::value<std::int64_t>(out[0]) = static_cast<std::int64_t>(index);
    return nullptr;
  };
  const std::uint64_t threads = GENERATE(0u, 1u, 4u);
  const Source source(dataset.instance(), {}, take_fake_error);
  Loader loader(
      source,
      {.batch_size = 4, .micro_batch = 4, .threads = threads, .prefetch = 8, .shuffle = false});
  CHECK(elements(*loader.next_window()) == std::vector<std::int64_t>{0, 1, 2, 3});
  CHECK(elements(*loader.next_window()) == std::vector<std::int64_t>{4, 5, 6, 7});
  for (int again = 0; again < 2; ++again) {
    CHECK_THROWS_MATCHES(
        loader.next_window(), Error,
        MessageMatches(ContainsSubstring("dataset.train (fake): sample 9: the disk is gone")));
  }
  CHECK(loader.state().position == 8);
  loader.seek({12, 100, {}});
  CHECK(elements(*loader.next_window()) == std::vector<std::int64_t>{12, 13, 14, 15});
}

TEST_CASE("what a worker throws reaches the main thread as an error", "[data]") {
  const bool std_exception = GENERATE(true, false);
  const std::uint64_t threads = GENERATE(0u, 2u);
  FakeDataset dataset;
  dataset.on_read = [&](std::uint64_t index, auto) -> hob_error* {
    if (index < 4) return nullptr;
    if (std_exception) throw std::runtime_error("out of cheese");
    throw 7;
  };
  const Source source(dataset.instance(), {}, take_fake_error);
  Loader loader(source, {.batch_size = 4, .micro_batch = 2, .threads = threads, .shuffle = false});
  REQUIRE(loader.next_window());
  CHECK_THROWS_MATCHES(
      loader.next_window(), Error,
      MessageMatches(ContainsSubstring(std_exception ? "dataset.train (fake): out of cheese"
                                                     : "threw what is no std::exception")));
}

// case MET-05
TEST_CASE("a label outside of its classes ends the run with sample, label and classes", "[data]") {
  FakeDataset dataset;
  dataset.fields = {make_field("label", HOB_INT64, {}, 3)};  // sample 3 has label 3
  const std::uint64_t threads = GENERATE(0u, 2u);
  const Source source(dataset.instance(), {}, take_fake_error);
  Loader loader(source, {.batch_size = 3,
                         .micro_batch = 3,
                         .threads = threads,
                         .shuffle = false,
                         .on_bad = hob::data::OnBad::kReplace,
                         .bad_limit = 100});
  REQUIRE(loader.next_window());
  CHECK_THROWS_MATCHES(
      loader.next_window(), Error,
      MessageMatches(ContainsSubstring("sample 3 has label 3 in field 'label'; there are 3 "
                                       "classes, labelled 0 to 2")));
}

TEST_CASE("a loader ends within the time of one sample", "[data]") {
  FakeDataset dataset;
  dataset.samples = 100'000;
  dataset.on_read = [](std::uint64_t, auto) -> hob_error* {
    std::this_thread::sleep_for(5ms);
    return nullptr;
  };
  const Source source(dataset.instance(), {}, take_fake_error);
  const auto begin = std::chrono::steady_clock::now();
  {
    // A micro-batch takes 10,000 times 5 ms over two threads.
    const Loader loader(source, {.batch_size = 10'000, .micro_batch = 10'000, .threads = 2});
    std::this_thread::sleep_for(20ms);
  }
  CHECK(std::chrono::steady_clock::now() - begin < 2s);
}

TEST_CASE("seeking drops what was being read", "[data]") {
  Pictures pictures;
  const Source source = pictures.source();
  LoaderOptions options{
      .batch_size = 7, .micro_batch = 3, .threads = 3, .prefetch = 5, .seed = 2, .epochs = 2};
  Loader expected(source, options);
  std::vector<std::vector<std::int64_t>> windows;
  std::vector<hob::data::LoaderState> states{{}};
  while (const auto window = expected.next_window()) {
    windows.push_back(elements(*window, 1));
    states.push_back(window->state_after());
  }
  Loader loader(source, options);
  for (std::size_t round = 0; round < 300; ++round) {
    const std::size_t at = round * 7 % windows.size();
    loader.seek(states[at]);
    if (round % 3 == 0) continue;
    const auto window = loader.next_window();
    REQUIRE(window);
    REQUIRE(elements(*window, 1) == windows[at]);
  }
}

TEST_CASE("the time that the caller waits is counted", "[data]") {
  FakeDataset dataset;
  dataset.on_read = [](std::uint64_t, auto) -> hob_error* {
    std::this_thread::sleep_for(10ms);
    return nullptr;
  };
  const std::uint64_t threads = GENERATE(0u, 1u);
  const Source source(dataset.instance(), {}, take_fake_error);
  Loader loader(source, {.batch_size = 4, .micro_batch = 4, .threads = threads});
  CHECK(loader.wait_seconds() == 0);
  const auto begin = std::chrono::steady_clock::now();
  loader.next_window();
  const std::chrono::duration<double> passed = std::chrono::steady_clock::now() - begin;
  CHECK(loader.wait_seconds() <= passed.count());
  CHECK(loader.wait_seconds() > 0.02);
}
