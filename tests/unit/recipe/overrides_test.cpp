#include <catch2/catch_test_macros.hpp>
#include <filesystem>
#include <string>
#include <vector>

#include "unit/recipe/fixture.h"

namespace hob::recipe {
namespace {

using namespace testing;

const std::string kLists = kMinimal + R"([[callback]]
use = "ema"
[[callback]]
use = "swa"
[[monitor]]
use = "console"
[[monitor]]
use = "console"
)";

std::string error_with(const std::string& override_text) {
  return error_of(kLists, {override_text});
}

TEST_CASE("an override sets a key by its TOML value", "[recipe]") {
  const Recipe recipe = read(kLists, {"optimizer.lr=1e-3", "train.epochs=7", "loader.shuffle=false",
                                      "model.hidden=[3, 4]", "run.name=a b", "run.device=\"cpu\"",
                                      "schedule.warmup=2ep", "loader.micro_batch=auto"});
  CHECK(recipe.optimizer.lr == 1e-3);
  CHECK(recipe.train.epochs == 7);
  CHECK_FALSE(recipe.loader.shuffle);
  CHECK(std::get<std::vector<std::int64_t>>(recipe.model.component.param("hidden")) ==
        std::vector<std::int64_t>{3, 4});
  CHECK(recipe.run.name == "a b");
  CHECK(recipe.run.device == "cpu");
  CHECK(recipe.schedule.warmup == Duration{2, DurationUnit::kEpochs});
  CHECK(recipe.loader.micro_batch.is_auto());
}

TEST_CASE("what is no TOML value is a plain string", "[recipe]") {
  CHECK(read(kLists, {"run.name=12ab"}).run.name == "12ab");
  CHECK(read(kLists, {"run.name=a=b"}).run.name == "a=b");
  CHECK(read(kLists, {"run.name=x\nrun.seed = 3"}).run.name == "x\nrun.seed = 3");
  CHECK(read(kLists, {"run.name=12ab"}).run.seed == 0);
  CHECK(error_with("train.epochs=0123") ==
        "command line: 'train.epochs=0123': error: 'epochs' in [train]: expected integer, got "
        "string '0123'");
  CHECK(error_with("run.name=") ==
        "command line: 'run.name=': error: 'name' in [run]: it must not be empty");
}

TEST_CASE("the last of two overrides of a key wins", "[recipe]") {
  CHECK(read(kLists, {"train.epochs=7", "train.epochs=8"}).train.epochs == 8);
}

TEST_CASE("an override reaches an element by index and by the name of its component", "[recipe]") {
  const Recipe recipe =
      read(kLists, {"callback.0.decay=0.5", "callback.swa.start=3ep", "monitor.1.every=5"});
  CHECK(std::get<double>(recipe.callbacks.at(0).param("decay")) == 0.5);
  CHECK(std::get<std::string>(recipe.callbacks.at(1).param("start")) == "3ep");
  CHECK(std::get<std::int64_t>(recipe.monitors.at(0).param("every")) == 10);
  CHECK(std::get<std::int64_t>(recipe.monitors.at(1).param("every")) == 5);
}

TEST_CASE("an element that cannot be told is an error", "[recipe]") {
  CHECK(error_with("callback.2.decay=0.5") ==
        "command line: 'callback.2.decay=0.5': error: 'callback' has 2 elements, counted from 0; "
        "there is no element 2");
  CHECK(error_with("callback.emma.decay=0.5") ==
        "command line: 'callback.emma.decay=0.5': error: no element of 'callback' uses 'emma'; "
        "there is 'ema', 'swa'; did you mean 'ema'?");
  CHECK(error_with("monitor.console.every=5") ==
        "command line: 'monitor.console.every=5': error: 2 elements of 'monitor' use 'console'; "
        "write the index, such as monitor.0");
  CHECK(error_with("metric.accuracy.k=5") ==
        "command line: 'metric.accuracy.k=5': error: the recipe has no [[metric]]; add one by "
        "+metric={use=\"...\"}");
}

TEST_CASE("a plus adds a key, an element or a value", "[recipe]") {
  const Recipe recipe =
      read(kLists, {"+train.updates=9", "+metric={use=\"topk\", k=3}", "+metric={use=\"accuracy\"}",
                    "+model.weights.freeze=[\"fc\"]", "+model.weights.freeze=stem",
                    "+optimizer.group={match=[\"fc\"], lr=0.5}"});
  CHECK(recipe.train.updates == 9);
  REQUIRE(recipe.metrics.size() == 2);
  CHECK(recipe.metrics[0].use == "topk");
  CHECK(recipe.metrics[1].use == "accuracy");
  CHECK(recipe.model.weights.freeze == std::vector<std::string>{"fc", "stem"});
  CHECK(recipe.optimizer.groups.at(0).lr == 0.5);
}

TEST_CASE("a plus does not replace what is there", "[recipe]") {
  CHECK(error_with("+optimizer.lr=3") ==
        "command line: '+optimizer.lr=3': error: 'optimizer.lr' is already there "
        "(recipe.toml:13:6); set it without the '+'");
  CHECK(error_with("+callback.0={use=\"ema\"}").find("there is such an element already") !=
        std::string::npos);
}

TEST_CASE("a tilde deletes a key, a table or an element", "[recipe]") {
  const Recipe recipe = read(kLists + "[loader]\nbatch_size = 8\n[schedule]\nuse = \"cosine\"\n",
                             {"~loader.batch_size", "~schedule", "~callback.ema", "~monitor"});
  CHECK(recipe.loader.batch_size == 32);
  CHECK(recipe.schedule.component.use == "constant");
  REQUIRE(recipe.callbacks.size() == 1);
  CHECK(recipe.callbacks[0].use == "swa");
  CHECK(recipe.monitors.empty());
}

TEST_CASE("a tilde on what is not there is an error", "[recipe]") {
  CHECK(error_with("~train.epoch") ==
        "command line: '~train.epoch': error: there is no 'train.epoch' to delete; did you mean "
        "'epochs'?");
  CHECK(error_with("~loader.threads") ==
        "command line: '~loader.threads': error: there is no 'loader' to delete");
  CHECK(error_with("~optimizer.lr=3") ==
        "command line: '~optimizer.lr=3': error: a key is deleted by its name alone: ~key");
  CHECK(error_with("~optimizer.lr").find("missing key 'lr' in [optimizer]") != std::string::npos);
}

TEST_CASE("an override of a wrong form is an error that shows the right one", "[recipe]") {
  for (const char* text : {"optimizer.lr", "+optimizer.lr", ""}) {
    CHECK(error_with(text) == "command line: '" + std::string(text) +
                                  "': error: expected key=value, +key=value or ~key");
  }
  for (const char* text : {"=3", ".=3", "optimizer..lr=3", "optimizer.=3", "+=3", "~", "~a..b",
                           "a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a=3"}) {
    CHECK(error_with(text) == "command line: '" + std::string(text) +
                                  "': error: expected a dotted key before '=', such as "
                                  "optimizer.lr=1e-3");
  }
}

TEST_CASE("an override of an unknown key is located on the command line", "[recipe]") {
  CHECK(error_with("optimizer.learning_rte=3") ==
        "command line: 'optimizer.learning_rte=3': error: unknown key 'learning_rte' in "
        "[optimizer]; did you mean 'lr'?");
  CHECK(error_with("optimiser.lr=3") ==
        "command line: 'optimiser.lr=3': error: unknown table 'optimiser'; did you mean "
        "[optimizer]?");
}

TEST_CASE("a table set to a name shows how its component is named", "[recipe]") {
  CHECK(error_with("optimizer=adamw") ==
        "command line: 'optimizer=adamw': error: expected table [optimizer], got string 'adamw'; "
        "write optimizer.use = 'adamw'");
  CHECK(error_with("train.epochs.x=3") ==
        "command line: 'train.epochs.x=3': error: 'train.epochs' is integer 2, and holds no keys");
}

TEST_CASE("another component by override drops the keys that it lacks, and says so", "[recipe]") {
  std::vector<std::string> notices;
  const std::string text = kMinimal + "[[callback]]\nuse = \"ema\"\ndecay = 0.5\n";
  const Recipe recipe = read(
      text, {"optimizer.momentum=0.5", "callback.0.use=swa", "callback.0.start=4ep"}, &notices);
  CHECK(recipe.callbacks.at(0).use == "swa");
  CHECK(std::get<std::string>(recipe.callbacks.at(0).param("start")) == "4ep");
  REQUIRE(notices.size() == 1);
  CHECK(notices[0] ==
        "command line: 'callback.0.use=swa': callback.use is now 'swa' instead of 'ema'; dropped "
        "what 'swa' does not take: 'decay' (recipe.toml:18:1)");
}

TEST_CASE("a key that the command line itself sets is not dropped but an error", "[recipe]") {
  CHECK(error_of(kMinimal, {"optimizer.momentum=0.5", "optimizer.use=adamw"}) ==
        "command line: 'optimizer.momentum=0.5': error: unknown key 'momentum' in [optimizer]; "
        "[optimizer] takes 'use', 'lr', 'weight_decay', 'betas', 'eps', 'group'");
}

TEST_CASE("a path on the command line is relative to the current folder", "[recipe]") {
  const Recipe recipe = read(kMinimal, {"model.weights.path=w.safetensors"});
  CHECK(recipe.model.weights.path == std::filesystem::current_path() / "w.safetensors");
}

TEST_CASE("errors of the command line stand behind those of the file", "[recipe]") {
  CHECK(error_of(kMinimal + "clip_norm = 0\n", {"optimizer.lr=x", "~y"}) ==
        "recipe.toml:16:13: error: 'clip_norm' in [train]: 0 is out of range; it must be greater "
        "than 0, and inf means off\n"
        "command line: 'optimizer.lr=x': error: 'lr' in [optimizer]: expected float, got string "
        "'x'\n"
        "command line: '~y': error: there is no 'y' to delete");
}

}  // namespace
}  // namespace hob::recipe
