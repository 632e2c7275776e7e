#include <catch2/catch_test_macros.hpp>
#include <cmath>
#include <string>
#include <vector>

#include "base/error.h"
#include "recipe/duration.h"
#include "recipe/enum_names.h"
#include "recipe/fields.h"
#include "recipe/host_schema.h"
#include "unit/recipe/fixture.h"

namespace hob::recipe {
namespace {

using namespace testing;

TEST_CASE("what a lock file adds survives reading and writing", "[recipe]") {
  Recipe recipe = read(kMinimal);
  recipe.lock.hob = "0.1.0";
  recipe.lock.torch = "2.11.0 abc";
  recipe.lock.plugins.push_back({"org.hob.sgd", "1.0.0", "/p/sgd.so", std::string(64, 'a')});
  recipe.lock.files.push_back(
      {"data", "/d/\"odd\"\n\x01 ${x}.gz", std::int64_t{1} << 40, 1'700'000'000'123'456'789, ""});
  const Recipe again = read(resolved_toml(recipe));
  CHECK(again.lock.hob == "0.1.0");
  CHECK(again.lock.torch == "2.11.0 abc");
  REQUIRE(again.lock.plugins.size() == 1);
  CHECK(again.lock.plugins[0].id == "org.hob.sgd");
  CHECK(again.lock.plugins[0].sha256 == std::string(64, 'a'));
  REQUIRE(again.lock.files.size() == 1);
  CHECK(again.lock.files[0].path == "/d/\"odd\"\n\x01 ${x}.gz");
  CHECK(again.lock.files[0].size == std::int64_t{1} << 40);
  CHECK(again.lock.files[0].mtime == 1'700'000'000'123'456'789);
  CHECK(resolved_toml(again) == resolved_toml(recipe));
  CHECK(diff(recipe, read(kMinimal)).empty());
}

TEST_CASE("a lock file repeats its run in another folder", "[recipe]") {
  const std::string lock = resolved_toml(read(kMinimal));
  const Recipe again = read(lock, {"run.dir=/elsewhere"});
  CHECK(again.run.dir == "/elsewhere");
  CHECK(diff(read(lock), again).empty());
}

TEST_CASE("floats survive the lock file to the last bit", "[recipe]") {
  for (const double lr : {0.1, 1e-300, 5e-324, 1.0 / 3, 3e4, 1e22, 123456789.125}) {
    Recipe recipe = read(kMinimal);
    recipe.optimizer.lr = lr;
    CHECK(read(resolved_toml(recipe)).optimizer.lr == lr);
  }
}

TEST_CASE("a group written out still follows its optimizer", "[recipe]") {
  const std::string lock =
      resolved_toml(read(kMinimal + "[[optimizer.group]]\nmatch = [\"fc\"]\nmomentum = 0.5\n"));
  const Recipe changed = read(lock, {"optimizer.lr=7", "optimizer.nesterov=true"});
  CHECK(changed.optimizer.groups.at(0).lr == 7);
  CHECK(std::get<double>(changed.optimizer.groups.at(0).params.at(0).second) == 0.5);
  CHECK(std::get<bool>(changed.optimizer.groups.at(0).params.at(1).second));
}

TEST_CASE("a diff names each changed key and what it means for a resume", "[recipe]") {
  const Recipe before = read(kMinimal + "[[metric]]\nuse = \"accuracy\"\n");
  const Recipe after = read(
      kMinimal, {"optimizer.lr=0.2", "run.seed=1", "optimizer.momentum=0.5", "loader.threads=1",
                 "train.updates=9", "run.name=x", "+monitor={use=\"console\"}"});
  const std::vector<Change> changes = diff(before, after);
  REQUIRE(changes.size() == 7);
  const auto check = [](const Change& change, const std::string& key, const std::string& old_text,
                        const std::string& new_text, bool numerics, bool may_change) {
    INFO(change.key);
    CHECK(change.key == key);
    CHECK(change.before == old_text);
    CHECK(change.after == new_text);
    CHECK(change.numerics == numerics);
    CHECK(change.may_change_on_resume == may_change);
  };
  check(changes[0], "run.seed", "0", "1", true, false);
  check(changes[1], "loader.threads", "4", "1", false, true);
  check(changes[2], "metric.0", "\"accuracy\"", "", false, true);
  check(changes[3], "optimizer.momentum", "0.0", "0.5", true, false);
  check(changes[4], "optimizer.lr", "0.1", "0.2", true, true);
  check(changes[5], "train.updates", "", "9", true, true);
  check(changes[6], "monitor.0", "", "\"console\"", false, true);
}

TEST_CASE("another component is one change, without the keys that only one has", "[recipe]") {
  const std::vector<Change> changes =
      diff(read(kMinimal), read(kMinimal, {"optimizer.use=adamw", "optimizer.lr=1"}));
  REQUIRE(changes.size() == 2);
  CHECK(changes[0].key == "optimizer.use");
  CHECK(changes[0].before == "\"sgd\"");
  CHECK(changes[0].after == "\"adamw\"");
  CHECK_FALSE(changes[0].may_change_on_resume);
  CHECK(changes[1].key == "optimizer.lr");
}

template <class T>
std::vector<std::string> field_names() {
  std::vector<std::string> names;
  T value;
  each_field(value, [&](const char* name, auto&) { names.emplace_back(name); });
  return names;
}

std::vector<std::string> key_names(const std::string& path) {
  std::vector<std::string> names;
  for (const HostKey& key : find_host_table(path)->keys) names.push_back(key.schema.name);
  return names;
}

TEST_CASE("every key of the host's tables is a field of its struct, in the same order",
          "[recipe]") {
  CHECK(field_names<Run>() == key_names("run"));
  CHECK(field_names<Weights>() == key_names("model.weights"));
  CHECK(field_names<Loader>() == key_names("loader"));
  CHECK(field_names<Optimizer>() == key_names("optimizer"));
  CHECK(field_names<OptimizerGroup>() == key_names("optimizer.group"));
  CHECK(field_names<Schedule>() == key_names("schedule"));
  CHECK(field_names<Train>() == key_names("train"));
  CHECK(field_names<Eval>() == key_names("eval"));
  CHECK(field_names<Checkpoint>() == key_names("checkpoint"));
  CHECK(field_names<Export>() == key_names("export"));
  CHECK(field_names<Lock>() == key_names("lock"));
  CHECK(field_names<LockedPlugin>() == key_names("lock.plugin"));
  CHECK(field_names<LockedFile>() == key_names("lock.file"));
}

TEST_CASE("every table and key of the host is explained", "[recipe]") {
  for (const HostTable& table : host_tables()) {
    INFO(table.path);
    CHECK_FALSE(table.summary.empty());
    for (const HostKey& key : table.keys) {
      INFO(key.schema.name);
      CHECK_FALSE(key.schema.help.empty());
      CHECK_FALSE((key.required && key.schema.default_value.has_value()));
    }
  }
}

TEST_CASE("names of choices stand for their values", "[recipe]") {
  CHECK(enum_name(OnBadSample::kSkip) == "skip");
  CHECK(enum_value<OnNonfinite>("fail") == OnNonfinite::kFail);
  CHECK(enum_value<BestMode>("max") == BestMode::kMax);
  CHECK(read(kMinimal, {"loader.on_bad_sample=skip"}).loader.on_bad_sample == OnBadSample::kSkip);
}

TEST_CASE("durations are read and written back", "[recipe]") {
  const auto check = [](const char* text, double value, DurationUnit unit, const char* written) {
    INFO(text);
    const Duration duration = parse_duration(text);
    CHECK(duration == Duration{value, unit});
    CHECK(format_duration(duration) == written);
    CHECK(parse_duration(written) == duration);
  };
  check("3ep", 3, DurationUnit::kEpochs, "3ep");
  check("0.1ep", 0.1, DurationUnit::kEpochs, "0.1ep");
  check("500up", 500, DurationUnit::kUpdates, "500up");
  check("0up", 0, DurationUnit::kUpdates, "0up");
  check("2000up", 2000, DurationUnit::kUpdates, "2kup");
  check("10ksamp", 10'000, DurationUnit::kSamples, "10ksamp");
  check("2Gtok", 2e9, DurationUnit::kTokens, "2Gtok");
  check("2500Mtok", 2.5e9, DurationUnit::kTokens, "2500Mtok");
  check("1.5ktok", 1500, DurationUnit::kTokens, "1500tok");
  check("2h", 7200, DurationUnit::kSeconds, "2h");
  check("90m", 5400, DurationUnit::kSeconds, "90m");
  check("0.5s", 0.5, DurationUnit::kSeconds, "0.5s");
  check("2d", 172800, DurationUnit::kSeconds, "2d");
}

TEST_CASE("what is no duration is refused", "[recipe]") {
  for (const char* text :
       {"", "3", "ep", "3 ep", "-3ep", "+3ep", "1.ep", ".5ep", "1.2.3ep", "3epochs", "3EP", "0.5up",
        "1e3up", "nanep", "infh", "99999999999999999999up", "1.5samp", "3ep ", "2h30m"}) {
    INFO(text);
    CHECK_THROWS_AS(parse_duration(text), Error);
  }
  CHECK_THROWS_AS(parse_duration(std::string(400, '9') + "ep"), Error);
  try {
    parse_duration("3epo");
    FAIL("no error");
  } catch (const Error& failure) {
    CHECK(std::string(failure.what()) ==
          "'3epo' is not a duration: there is no unit 'epo'; write for example \"3ep\", \"500up\" "
          "(updates), \"10ksamp\", \"2Gtok\", \"90s\", \"30m\", \"2h\"");
  }
}

}  // namespace
}  // namespace hob::recipe
