#include <cstdint>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include <catch2/catch_test_macros.hpp>
#include <catch2/generators/catch_generators.hpp>
#include <catch2/matchers/catch_matchers_exception.hpp>
#include <catch2/matchers/catch_matchers_string.hpp>

#include "base/error.h"
#include "base/log.h"
#include "data/loader.h"
#include "unit/data/fake_data.h"

namespace {

using Catch::Matchers::ContainsSubstring;
using Catch::Matchers::MessageMatches;
using hob::Error;
using hob::data::Loader;
using hob::data::LoaderOptions;
using hob::data::LoaderState;
using hob::data::OnBad;
using hob::data::Source;
using hob::test::elements;
using hob::test::fake_error;
using hob::test::FakeDataset;
using hob::test::FakeError;
using hob::test::FakeObjective;
using hob::test::take_fake_error;

using Ids = std::vector<std::int64_t>;

// The log's messages while it lives, kept off stderr.
class LogProbe {
 public:
  LogProbe() {
    hob::log::set_stderr_level(hob::log::Level::kOff);
    hob::log::set_listener(
        [this](hob::log::Level, const std::string& text) { messages.push_back(text); });
  }
  ~LogProbe() {
    hob::log::set_listener({});
    hob::log::set_stderr_level(hob::log::Level::kInfo);
  }

  std::vector<std::string> messages;
};

// Ids, of which some cannot be read. The name is for the log, which tells of a sample once.
struct BadDataset {
  FakeDataset fake;
  std::string name;
  LogProbe log;

  BadDataset(std::uint64_t samples, std::set<std::uint64_t> bad, std::string called)
      : name(std::move(called)) {
    fake.samples = samples;
    fake.on_read = [bad](std::uint64_t index, auto out) -> hob_error* {
      if (bad.count(index) != 0) {
        return fake_error(HOB_ERROR_DATA, "img_" + std::to_string(index) + ".jpg: cut short");
      }
      hob::test::value<std::int64_t>(out[0]) = static_cast<std::int64_t>(index);
      return nullptr;
    };
  }

  Source source() {
    hob::data::DatasetInstance instance = fake.instance();
    instance.name = name;
    return Source(instance, {}, take_fake_error);
  }
};

std::vector<Ids> read_windows(Loader& loader) {
  std::vector<Ids> windows;
  while (const auto window = loader.next_window()) windows.push_back(elements(*window));
  return windows;
}

LoaderOptions skipping(OnBad on_bad, std::uint64_t limit, std::uint64_t threads) {
  return {.batch_size = 4,
          .micro_batch = 2,
          .threads = threads,
          .prefetch = 3,
          .shuffle = false,
          .epochs = 1,
          .on_bad = on_bad,
          .bad_limit = limit};
}

}  // namespace

TEST_CASE("a bad sample fails the run, by dataset, index and the plugin's text", "[data]") {
  BadDataset data(10, {5}, "dataset.train (fake)");
  const Source source = data.source();
  const std::uint64_t threads = GENERATE(0u, 2u);
  Loader loader(source, skipping(OnBad::kFail, 0, threads));
  REQUIRE(loader.next_window());
  CHECK_THROWS_MATCHES(
      loader.next_window(), Error,
      MessageMatches(ContainsSubstring("dataset.train (fake): sample 5: img_5.jpg: cut short; "
                                       "correct the data, or set loader.on_bad_sample")));
  CHECK(loader.state() == LoaderState{4, 10, {}});
}

TEST_CASE("the next good sample stands in for a bad one", "[data]") {
  BadDataset data(10, {2, 3, 9}, "stands in");
  const Source source = data.source();
  const std::uint64_t threads = GENERATE(0u, 1u, 4u);
  Loader loader(source, skipping(OnBad::kReplace, 3, threads));
  auto first = loader.next_window();
  REQUIRE(first);
  CHECK(elements(*first) == Ids{0, 1, 4, 4});
  CHECK(first->micro_batches()[1].indices[0] == 4);
  CHECK(first->state_after() == LoaderState{4, 10, {2, 3}});
  first->release();
  CHECK(read_windows(loader) == std::vector<Ids>{{4, 5, 6, 7}, {8, 0}});
  CHECK(loader.state() == LoaderState{10, 10, {2, 3, 9}});
  CHECK(FakeError::alive == 0);
}

TEST_CASE("an evaluation leaves a bad sample out, so that none counts twice", "[data]") {
  BadDataset data(12, {1, 4, 5, 8, 9, 10, 11}, "left out");
  FakeObjective objective;
  objective.on_weights = [](std::span<const hob_named_view> batch, double* out) -> hob_error* {
    *out = static_cast<double>(batch[0].view.shape[0]);
    return nullptr;
  };
  const Source source = data.source();
  const std::uint64_t threads = GENERATE(0u, 1u, 4u);
  Loader loader(source, skipping(OnBad::kLeaveOut, 7, threads), objective.instance());
  auto window = loader.next_window();
  REQUIRE(window);
  CHECK(elements(*window) == Ids{0, 2, 3});
  CHECK(window->samples() == 3);
  CHECK(window->weights()[0] == 3);
  REQUIRE(window->micro_batches().size() == 2);
  CHECK(window->micro_batches()[0].count == 1);
  CHECK(window->micro_batches()[0].indices[0] == 0);
  window->release();
  window = loader.next_window();  // its first micro-batch is missing
  REQUIRE(window);
  CHECK(elements(*window) == Ids{6, 7});
  CHECK(window->micro_batches().size() == 1);
  window->release();
  window = loader.next_window();
  REQUIRE(window);  // no sample of it is left, and it is not the end
  CHECK(window->micro_batches().empty());
  CHECK(window->weights()[0] == 0);
  window->release();
  CHECK_FALSE(loader.next_window());
}

TEST_CASE("more bad samples than the limit are an error with the last one's text", "[data]") {
  const OnBad on_bad = GENERATE(OnBad::kReplace, OnBad::kLeaveOut);
  const std::uint64_t threads = GENERATE(0u, 3u);
  BadDataset data(12, {1, 6, 9}, "limited");
  const Source source = data.source();
  Loader loader(source, skipping(on_bad, 2, threads));
  loader.next_window();
  loader.next_window();
  CHECK(loader.state() == LoaderState{8, 12, {1, 6}});
  CHECK_THROWS_MATCHES(
      loader.next_window(), Error,
      MessageMatches(ContainsSubstring("more than 2 bad samples (loader.bad_sample_limit); the "
                                       "last: limited: sample 9: img_9.jpg: cut short")));
  CHECK(loader.state() == LoaderState{8, 12, {1, 6}});
}

TEST_CASE("a row stops looking for a good sample at the limit, or where there is none", "[data]") {
  std::set<std::uint64_t> all;
  for (std::uint64_t i = 0; i < 6; ++i) all.insert(i);
  BadDataset data(6, all, "all bad");
  const Source source = data.source();
  const std::uint64_t threads = GENERATE(0u, 2u);
  Loader few(source, skipping(OnBad::kReplace, 3, threads));
  CHECK_THROWS_MATCHES(few.next_window(), Error,
                       MessageMatches(ContainsSubstring("more than 3 bad samples")));
  Loader many(source, skipping(OnBad::kReplace, 1000, threads));
  CHECK_THROWS_MATCHES(many.next_window(), Error,
                       MessageMatches(ContainsSubstring("none of the 6 samples can be read") &&
                                      ContainsSubstring("img_5.jpg")));
}

TEST_CASE("a sample that is bad in every epoch counts and is logged once", "[data]") {
  BadDataset data(8, {3}, "logged once");
  const Source source = data.source();
  LoaderOptions options = skipping(OnBad::kReplace, 1, 2);
  options.epochs = 5;
  options.shuffle = true;
  Loader loader(source, options);
  CHECK(read_windows(loader).size() == 10);
  CHECK(loader.state().skipped == std::vector<std::uint64_t>{3});
  CHECK(data.log.messages ==
        std::vector<std::string>{
            "warning: logged once: sample 3: img_3.jpg: cut short; it is skipped, 1 of at most 1"});
}

TEST_CASE("a resumed run remembers which samples were bad", "[data]") {
  BadDataset data(8, {1, 6}, "remembered");
  const Source source = data.source();
  Loader loader(source, skipping(OnBad::kReplace, 1, 0));
  const auto first = loader.next_window();
  REQUIRE(first);
  Loader resumed(source, skipping(OnBad::kReplace, 1, 0), {}, hob::data::allocate_plain,
                 first->state_after());
  CHECK_THROWS_MATCHES(resumed.next_window(), Error,
                       MessageMatches(ContainsSubstring("more than 1 bad samples")));
}

TEST_CASE("an error that is not the sample's is never skipped", "[data]") {
  FakeDataset dataset;
  dataset.on_read = [](std::uint64_t, auto) {
    return fake_error(HOB_ERROR_FAILED, "connection lost");
  };
  const Source source(dataset.instance(), {}, take_fake_error);
  Loader loader(source, skipping(OnBad::kReplace, 100, 0));
  CHECK_THROWS_MATCHES(
      loader.next_window(), Error,
      MessageMatches(ContainsSubstring("dataset.train (fake): sample 0: connection lost")));
}

TEST_CASE("a batch with bad samples is the same for any number of threads", "[data]") {
  BadDataset data(50, {0, 7, 8, 9, 22, 49}, "the same");
  const Source source = data.source();
  const OnBad on_bad = GENERATE(OnBad::kReplace, OnBad::kLeaveOut);
  LoaderOptions options = skipping(on_bad, 6, 0);
  options.shuffle = true;
  options.seed = 4;
  options.epochs = 3;
  Loader alone(source, options);
  const std::vector<Ids> expected = read_windows(alone);
  options.threads = 4;
  Loader loader(source, options);
  CHECK(read_windows(loader) == expected);
  CHECK(loader.state() == alone.state());
  CHECK(loader.state().skipped == std::vector<std::uint64_t>{0, 7, 8, 9, 22, 49});
}
