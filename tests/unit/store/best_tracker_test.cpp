#include <cmath>
#include <filesystem>
#include <limits>
#include <map>
#include <string>
#include <vector>

#include <catch2/catch_test_macros.hpp>
#include <catch2/matchers/catch_matchers_exception.hpp>
#include <catch2/matchers/catch_matchers_string.hpp>

#include "base/error.h"
#include "support/raw_file.h"
#include "support/temp_folder.h"
#include "train/store/best_tracker.h"

namespace {

using Catch::Matchers::ContainsSubstring;
using Catch::Matchers::MessageMatches;
using hob::Error;
using hob::test::TempFolder;
using hob::train::BestMode;
using hob::train::BestTracker;
using hob::train::is_better;

constexpr double kNan = std::numeric_limits<double>::quiet_NaN();
constexpr double kInf = std::numeric_limits<double>::infinity();

}  // namespace

TEST_CASE("the record of a run is read whatever its metric and mode", "[store]") {
  TempFolder run;
  CHECK_FALSE(hob::train::read_best(run.path()));
  BestTracker(run.path(), "loss", BestMode::kMin).observe({{"loss", 0.5}}, 12);
  const auto best = hob::train::read_best(run.path());
  REQUIRE(best);
  CHECK(best->metric == "loss");
  CHECK(best->value == 0.5);
  CHECK(best->update == 12);
}

TEST_CASE("NaN is worse than any number", "[store]") {
  // case NUM-02
  for (BestMode mode : {BestMode::kMin, BestMode::kMax}) {
    for (double number : {0.0, 1.0, -1.0, kInf, -kInf}) {
      CHECK(is_better(number, kNan, mode));
      CHECK_FALSE(is_better(kNan, number, mode));
      CHECK_FALSE(is_better(number, number, mode));
    }
    CHECK_FALSE(is_better(kNan, kNan, mode));
  }
  CHECK(is_better(0.7, 0.8, BestMode::kMin));
  CHECK_FALSE(is_better(0.8, 0.7, BestMode::kMin));
  CHECK(is_better(0.8, 0.7, BestMode::kMax));
  CHECK(is_better(1.0, kInf, BestMode::kMin));
}

TEST_CASE("the best value is found among NaNs", "[store]") {
  // case NUM-02
  const std::vector<double> values = {kNan, 0.9, 0.8, kNan, 0.7};
  TempFolder run;
  BestTracker lowest(run.path(), "loss", BestMode::kMin);
  std::vector<bool> improved;
  for (std::size_t i = 0; i < values.size(); ++i) {
    improved.push_back(lowest.observe({{"loss", values[i]}}, 10 * (i + 1)));
  }
  CHECK(improved == std::vector<bool>{false, true, true, false, true});
  REQUIRE(lowest.best());
  CHECK(lowest.best()->value == 0.7);
  CHECK(lowest.best()->update == 50);

  TempFolder other;
  BestTracker highest(other.path(), "loss", BestMode::kMax);
  for (std::size_t i = 0; i < values.size(); ++i) highest.observe({{"loss", values[i]}}, i);
  CHECK(highest.best()->value == 0.9);
  CHECK(highest.best()->update == 1);
}

TEST_CASE("the best value survives the process", "[store]") {
  TempFolder run;
  BestTracker(run.path(), "loss", BestMode::kMin).observe({{"loss", -kInf}, {"f1", 0.1}}, 30);
  BestTracker again(run.path(), "loss", BestMode::kMin);
  REQUIRE(again.best());
  CHECK(again.best()->value == -kInf);
  CHECK(again.best()->update == 30);
  CHECK_FALSE(again.observe({{"loss", 0.1}}, 40));
  CHECK_FALSE(BestTracker(run.path(), "f1", BestMode::kMin).best());
  CHECK_FALSE(BestTracker(run.path(), "loss", BestMode::kMax).best());
}

TEST_CASE("a metric that is not measured is refused with those that are", "[store]") {
  // case NUM-02
  TempFolder run;
  BestTracker tracker(run.path(), "acc", BestMode::kMax);
  CHECK_THROWS_MATCHES(
      tracker.observe({{"accuracy", 0.5}, {"loss", 1.0}}, 1), Error,
      MessageMatches(ContainsSubstring("'acc'") && ContainsSubstring("'accuracy', 'loss'")));
}

TEST_CASE("a damaged record of the best value is refused by name", "[store]") {
  TempFolder run;
  hob::test::write_raw(run / "best.json", std::string(100, '\0'));
  CHECK_THROWS_MATCHES(BestTracker(run.path(), "loss", BestMode::kMin), Error,
                       MessageMatches(ContainsSubstring("best.json: not valid JSON")));
}
