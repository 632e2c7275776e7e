#include <catch2/catch_test_macros.hpp>
#include <cmath>
#include <filesystem>

#include "unit/recipe/fixture.h"

namespace hob::recipe {
namespace {

using namespace testing;

// The recipe of the design, less what the catalogue of the tests does not have.
const char* const kFull = R"(schema = 1
[run]
name = "r50-pets"
dir  = "/runs/${run.name}"
seed = 42
[model]
use = "resnet"
depth = 50
num_classes = 37
[model.weights]
path = "weights/resnet50.safetensors"
reset = ["fc"]
[dataset.train]
use = "image_folder"
path = "pets/train"
[[dataset.train.transform]]
use = "resize"
size = 224
[[dataset.train.transform]]
use = "flip"
[dataset.eval]
use = "image_folder"
path = "/data/pets/val"
[loader]
batch_size = 64
micro_batch = "auto"
threads = 4
[objective]
use = "cross_entropy"
label_smoothing = 0.1
[[metric]]
use = "accuracy"
[optimizer]
use = "adamw"
lr = 1e-3
weight_decay = 0.05
[[optimizer.group]]
match = ["role:norm", "role:bias"]
weight_decay = 0.0
[[optimizer.group]]
match = ["fc"]
lr = 1
eps = 1e-6
[schedule]
use = "cosine"
warmup = "1ep"
[precision]
use = "fp16_mixed"
[[memory]]
use = "recompute"
segments = "layer*"
[[compression]]
use = "prune_nm"
pattern = "2:4"
[[callback]]
use = "ema"
decay = 0.9998
[[monitor]]
use = "console"
[[monitor]]
use = "csv"
[train]
epochs = 30
clip_norm = 1.0
max_time = "8h"
memory_budget = "22GiB"
[eval]
every = "500up"
[checkpoint]
every = "30m"
keep = 5
best = "accuracy"
[export]
formats = ["safetensors"]
)";

TEST_CASE("a full recipe is read to its typed values", "[recipe]") {
  const Recipe recipe = read(kFull);
  CHECK(recipe.run.name == "r50-pets");
  CHECK(recipe.run.dir == "/runs/r50-pets");
  CHECK(recipe.run.seed == 42);
  CHECK(recipe.model.component.use == "resnet");
  CHECK(std::get<std::int64_t>(recipe.model.component.param("num_classes")) == 37);
  CHECK(recipe.model.weights.path == "/recipes/weights/resnet50.safetensors");
  CHECK(recipe.model.weights.reset == std::vector<std::string>{"fc"});
  CHECK(std::get<std::string>(recipe.train_data.component.param("path")) == "/recipes/pets/train");
  REQUIRE(recipe.train_data.transforms.size() == 2);
  CHECK(recipe.train_data.transforms[0].use == "resize");
  CHECK(recipe.train_data.transforms[1].use == "flip");
  REQUIRE(recipe.eval_data.has_value());
  CHECK(std::get<std::string>(recipe.eval_data->component.param("path")) == "/data/pets/val");
  CHECK(recipe.loader.batch_size == 64);
  CHECK(recipe.loader.micro_batch.is_auto());
  CHECK(recipe.optimizer.lr == 1e-3);
  CHECK(recipe.optimizer.weight_decay == 0.05);
  CHECK(recipe.schedule.warmup == Duration{1, DurationUnit::kEpochs});
  CHECK(!recipe.schedule.horizon.has_value());
  CHECK(recipe.memory.at(0).use == "recompute");
  CHECK(recipe.monitors.at(1).use == "csv");
  CHECK(recipe.train.epochs == 30);
  CHECK(!recipe.train.updates.has_value());
  CHECK(recipe.train.max_time == Duration{8 * 3600.0, DurationUnit::kSeconds});
  CHECK(recipe.train.clip_norm == 1.0);
  CHECK(recipe.train.memory_budget == std::int64_t{22} << 30);
  CHECK(recipe.eval.every == Duration{500, DurationUnit::kUpdates});
  CHECK(recipe.eval.batch_size == 64);
  CHECK(recipe.checkpoint.every == Duration{1800, DurationUnit::kSeconds});
  CHECK(recipe.checkpoint.keep == 5);
  CHECK(recipe.checkpoint.best == "accuracy");
  CHECK(recipe.exports.formats == std::vector<std::string>{"safetensors"});
  CHECK(recipe.model.component.where.line == 7);
  CHECK(to_string(recipe.model.component.where) == "recipe.toml:7:7");
  CHECK(recipe.components().size() == 15);
}

TEST_CASE("a group of parameters inherits what it does not set", "[recipe]") {
  const Recipe recipe = read(kFull);
  REQUIRE(recipe.optimizer.groups.size() == 2);
  const OptimizerGroup& undecayed = recipe.optimizer.groups[0];
  CHECK(undecayed.match == std::vector<std::string>{"role:norm", "role:bias"});
  CHECK(undecayed.lr == 1e-3);
  CHECK(undecayed.weight_decay == 0.0);
  CHECK(undecayed.params == recipe.optimizer.component.params);
  const OptimizerGroup& head = recipe.optimizer.groups[1];
  CHECK(head.lr == 1.0);
  CHECK(head.weight_decay == 0.05);
  REQUIRE(head.params.size() == 2);
  CHECK(std::get<double>(head.params[1].second) == 1e-6);
}

TEST_CASE("a minimal recipe is filled with defaults", "[recipe]") {
  const Recipe recipe = read(kMinimal);
  CHECK(recipe.run.name == "recipe");
  CHECK(recipe.run.dir == std::filesystem::current_path() / "runs/recipe");
  CHECK(recipe.run.device == "auto");
  CHECK(recipe.run.seed == 0);
  CHECK(std::get<std::vector<std::int64_t>>(recipe.model.component.param("hidden")) ==
        std::vector<std::int64_t>{128});
  CHECK(recipe.model.weights.path.empty());
  CHECK(!recipe.eval_data.has_value());
  CHECK(recipe.loader.batch_size == 32);
  CHECK(recipe.loader.micro_batch.value == 32);
  CHECK(recipe.loader.shuffle);
  CHECK(recipe.loader.on_bad_sample == OnBadSample::kFail);
  CHECK(recipe.optimizer.weight_decay == 0.0);
  CHECK(recipe.schedule.component.use == "constant");
  CHECK(recipe.schedule.warmup.value == 0);
  CHECK(recipe.precision.use == "fp32");
  CHECK(std::isinf(recipe.train.clip_norm));
  CHECK(recipe.eval.every == Duration{1, DurationUnit::kEpochs});
  CHECK(recipe.eval.batch_size == 32);
  CHECK(recipe.checkpoint.keep == 3);
  CHECK(recipe.checkpoint.mode == BestMode::kAuto);
  CHECK(recipe.exports.formats.empty());
  CHECK(recipe.lock.empty());
}

TEST_CASE("defaults that follow other keys follow them", "[recipe]") {
  const Recipe recipe = read(kMinimal + "[loader]\nbatch_size = 64\nmicro_batch = 16\n");
  CHECK(recipe.eval.batch_size == 16);
  CHECK(read(kMinimal + "[loader]\nbatch_size = 64\n").loader.micro_batch.value == 64);
}

TEST_CASE("the resolved recipe reads back to itself", "[recipe]") {
  for (const std::string& text : {std::string(kFull), kMinimal}) {
    const Recipe recipe = read(text);
    const std::string resolved = resolved_toml(recipe);
    INFO(resolved);
    const Recipe again =
        parse_recipe(resolved, "lock.toml", "/elsewhere", {}, catalogue(), nullptr);
    CHECK(resolved_toml(again) == resolved);
    CHECK(diff(recipe, again).empty());
    CHECK(again.run.dir == recipe.run.dir);
    CHECK(again.train.clip_norm == recipe.train.clip_norm);
  }
}

}  // namespace
}  // namespace hob::recipe
