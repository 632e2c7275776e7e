#include <catch2/catch_test_macros.hpp>
#include <string>
#include <utility>
#include <vector>

#include "base/error.h"
#include "recipe/host_schema.h"
#include "unit/recipe/fixture.h"

namespace hob::recipe {
namespace {

using namespace testing;

TEST_CASE("an unknown component is an error that names the nearest of its kind", "[recipe]") {
  CHECK(error_of(kMinimal, {"optimizer.use=adam"}) ==
        "command line: 'optimizer.use=adam': error: unknown optimizer 'adam' in [optimizer]; did "
        "you mean 'adamw'?");
  CHECK(error_of(kMinimal, {"optimizer.use=zzz"}) ==
        "command line: 'optimizer.use=zzz': error: unknown optimizer 'zzz' in [optimizer]; there "
        "is 'adamw', 'lomo', 'sgd'");
  CHECK(error_of(kMinimal, {"optimizer.use=org.hob.sgd/sdg"}) ==
        "command line: 'optimizer.use=org.hob.sgd/sdg': error: unknown optimizer "
        "'org.hob.sgd/sdg' in [optimizer]; did you mean 'sgd'?");
}

TEST_CASE("where no plugin offers a kind, the message says where plugins were looked for",
          "[recipe]") {
  CHECK(error_of(kMinimal + "[tokenizer]\nuse = \"byte\"\n") ==
        "recipe.toml:17:7: error: unknown tokenizer 'byte' in [tokenizer]; no plugin offers any "
        "tokenizer (looked in /plugins; add by --plugins)");
}

TEST_CASE("a default component that is in no plugin is said to be the default", "[recipe]") {
  const Catalogue bare({component("precision", "bf16")});
  try {
    parse_recipe(kMinimal, "recipe.toml", "/", {}, bare, nullptr);
    FAIL("no error");
  } catch (const Error& failure) {
    CHECK(std::string(failure.what())
              .find("recipe.toml: error: unknown precision 'fp32' in [precision], the default; "
                    "there is 'bf16'") != std::string::npos);
  }
}

TEST_CASE("use must be there and be a string", "[recipe]") {
  CHECK(error_of(kMinimal + "[[callback]]\ndecay = 0.5\n") ==
        "recipe.toml:16:1: error: missing key 'use' in [[callback]]: it names the component; there "
        "is 'ema', 'spike_guard', 'swa'");
  CHECK(error_of(kMinimal, {"optimizer.use=3"}) ==
        "command line: 'optimizer.use=3': error: 'use' in [optimizer]: expected string, got "
        "integer 3");
}

TEST_CASE("a table for an array of tables, and the reverse, are errors", "[recipe]") {
  CHECK(error_of(kMinimal + "[metric]\nuse = \"accuracy\"\n") ==
        "recipe.toml:16:1: error: expected array of tables [[metric]], got table: there may be "
        "several, so each is written with two brackets");
  CHECK(error_of(kMinimal + "[[loader]]\nbatch_size = 3\n") ==
        "recipe.toml:16:1: error: expected table [loader], got array of tables");
  CHECK(error_of(kMinimal + "[checkpoint]\nevery.x = 1\n") ==
        "recipe.toml:17:1: error: 'every' in [checkpoint]: expected string, got table");
  CHECK(error_of("metric = [1]\n" + kMinimal) ==
        "recipe.toml:1:11: error: expected a table in [[metric]], got integer 1");
}

TEST_CASE("a parameter without a default must be given", "[recipe]") {
  CHECK(error_of(kMinimal + "[dataset.eval]\nuse = \"image_folder\"\n") ==
        "recipe.toml:16:1: error: missing key 'path' in [dataset.eval]");
}

TEST_CASE("a parameter's range and choices are checked in every element", "[recipe]") {
  CHECK(error_of(kMinimal, {"optimizer.momentum=1"}) ==
        "command line: 'optimizer.momentum=1': error: 'momentum' in [optimizer]: 1 is out of "
        "range; it must be at least 0 and less than 1");
  CHECK(error_of(kMinimal, {"model.hidden=[3, 0]"}) ==
        "command line: 'model.hidden=[3, 0]': error: 'hidden' in [model]: 0 is out of range; it "
        "must be at least 1");
  CHECK(error_of(kMinimal, {"model.hidden=[3, 4.0]"}) ==
        "command line: 'model.hidden=[3, 4.0]': error: 'hidden' in [model]: expected integer, got "
        "float 4.0");
  CHECK(error_of(kMinimal, {"model.hidden=3"}) ==
        "command line: 'model.hidden=3': error: 'hidden' in [model]: expected array of integers, "
        "got integer 3");
  CHECK(error_of(kMinimal + "[[compression]]\nuse = \"prune_nm\"\npattern = \"2:5\"\n") ==
        "recipe.toml:18:11: error: 'pattern' in [[compression]]: '2:5' is not one of '1:2', '2:4'; "
        "did you mean '2:4'?");
}

TEST_CASE("sizes are read and wrong ones refused", "[recipe]") {
  const auto cache = [](const std::string& value) {
    return std::get<std::int64_t>(
        read(kMinimal, {"dataset.train.cache=" + value}).train_data.component.param("cache"));
  };
  CHECK(cache("2GiB") == std::int64_t{2} << 30);
  CHECK(cache("512") == 512);
  CHECK(error_of(kMinimal, {"dataset.train.cache=2 gigs"}) ==
        "command line: 'dataset.train.cache=2 gigs': error: 'cache' in [dataset.train]: '2 gigs' "
        "is not a size; write for example \"22GiB\", \"512MiB\", \"1.5GB\", or a number of bytes");
  CHECK(error_of(kMinimal, {"train.memory_budget=0"}).find("0 is out of range") !=
        std::string::npos);
  CHECK(error_of(kMinimal, {"train.memory_budget=1.5"}).find("expected size") != std::string::npos);
}

TEST_CASE("durations and devices are checked where they are written", "[recipe]") {
  CHECK(error_of(kMinimal, {"eval.every=3"}) ==
        "command line: 'eval.every=3': error: 'every' in [eval]: expected string, got integer 3");
  CHECK(error_of(kMinimal, {"eval.every=0ep"}) ==
        "command line: 'eval.every=0ep': error: 'every' in [eval]: '0ep' is out of range; it must "
        "be greater than 0");
  CHECK(error_of(kMinimal, {"train.max_time=3ep"}) ==
        "command line: 'train.max_time=3ep': error: 'max_time' in [train]: '3ep' is not a time; "
        "write for example \"90s\", \"30m\", \"8h\"");
  for (const char* device : {"gpu", "cuda:", "cuda:x", "cuda:-1", "cuda:1234", "", "CPU"}) {
    INFO(device);
    CHECK(error_of(kMinimal + "[run]\ndevice = \"" + device + "\"\n") ==
          "recipe.toml:17:10: error: 'device' in [run]: there is no device '" +
              std::string(device) + "'; write \"auto\", \"cpu\", \"cuda\" or \"cuda:0\"");
  }
  for (const char* device : {"auto", "cpu", "cuda", "cuda:0", "cuda:12"}) {
    CHECK(read(kMinimal, {"run.device=" + std::string(device)}).run.device == device);
  }
}

TEST_CASE("weight decay for an optimizer that applies none is an error", "[recipe]") {
  const std::string why =
      "optimizer 'lomo' applies no weight decay; remove 'weight_decay', or use one that does: "
      "'sgd', 'adamw'";
  CHECK(error_of(kMinimal, {"optimizer.use=lomo", "optimizer.weight_decay=0.1"}) ==
        "command line: 'optimizer.weight_decay=0.1': error: " + why);
  CHECK(error_of(kMinimal + "[[optimizer.group]]\nmatch = [\"a\"]\nweight_decay = 1\n",
                 {"optimizer.use=lomo"}) == "recipe.toml:18:16: error: " + why);
  CHECK(error_of(kMinimal, {"optimizer.use=lomo", "optimizer.weight_decay=0"}).empty());
}

TEST_CASE("components that exclude each other are an error", "[recipe]") {
  CHECK(error_of(kMinimal + "[precision]\nuse = \"fp16_mixed\"\n", {"optimizer.use=lomo"}) ==
        "command line: 'optimizer.use=lomo': error: optimizer 'lomo' conflicts with precision "
        "'fp16_mixed' (recipe.toml:17:7), which provides 'loss_scaling'; remove one of them");
}

TEST_CASE("a component whose need nobody provides is an error that says who would", "[recipe]") {
  const std::string guard = "[[callback]]\nuse = \"spike_guard\"\n";
  CHECK(error_of(kMinimal + guard) ==
        "recipe.toml:17:7: error: callback 'spike_guard' needs 'loss_scaling', which no component "
        "of the recipe provides; add precision 'fp16_mixed'");
  CHECK(error_of(kMinimal + guard + "[precision]\nuse = \"fp16_mixed\"\n").empty());
}

TEST_CASE("what must hold between keys is checked", "[recipe]") {
  CHECK(error_of(kMinimal, {"~train.epochs"}) ==
        "recipe.toml:14:1: error: missing key in [train]: one of 'epochs', 'updates' or "
        "'max_time' must say when the training ends");
  CHECK(error_of(kMinimal, {"loader.batch_size=4", "loader.micro_batch=8"}) ==
        "command line: 'loader.micro_batch=8': error: 'micro_batch' in [loader]: 8 is more than "
        "batch_size, 4; an update's batch is made of micro-batches");
  CHECK(error_of(kMinimal, {"model.weights.reset=[\"fc\"]"}).find("needs 'path'") !=
        std::string::npos);
  CHECK(error_of(kMinimal, {"model.weights.freeze=[\"\"]"}).find("an empty pattern") !=
        std::string::npos);
  CHECK(error_of(kMinimal, {"checkpoint.best=accuracy"}).find("there is no [dataset.eval]") !=
        std::string::npos);
  CHECK(error_of(kMinimal + "[[optimizer.group]]\nmatch = []\n").find("would hold nothing") !=
        std::string::npos);
  CHECK(error_of(kMinimal + "[[optimizer.group]]\nlr = 1\n") ==
        "recipe.toml:16:1: error: missing key 'match' in [[optimizer.group]] (patterns on full "
        "names, or roles such as \"role:norm\")");
}

ComponentSchema offered_by(const std::string& plugin, ComponentSchema schema) {
  schema.plugin_id = plugin;
  return schema;
}

TEST_CASE("a name that two plugins offer must say which", "[recipe]") {
  const Catalogue both({offered_by("org.hob.sgd", component("optimizer", "sgd")),
                        offered_by("com.lab.fast", component("optimizer", "sgd")),
                        component("optimizer", "adam")});
  const Catalogue::Match ambiguous = both.find("optimizer", "sgd");
  CHECK(ambiguous.component == nullptr);
  CHECK(ambiguous.ambiguous.size() == 2);
  CHECK(both.find("optimizer", "fast/sgd").component == &both.components()[1]);
  CHECK(both.find("optimizer", "com.lab.fast/sgd").component == &both.components()[1]);
  CHECK(both.find("optimizer", "lab.fast/sgd").component == nullptr);
  CHECK(both.find("optimizer", "fast/adam").component == nullptr);
  CHECK(both.find("model", "adam").component == nullptr);
  CHECK(both.shortest_use(both.components()[1]) == "fast/sgd");
  CHECK(both.shortest_use(both.components()[2]) == "adam");
  try {
    parse_recipe("[optimizer]\nuse = \"sgd\"\nlr = 1\n", "r.toml", "/", {}, both, nullptr);
    FAIL("no error");
  } catch (const Error& failure) {
    CHECK(std::string(failure.what())
              .find("r.toml:2:7: error: optimizer 'sgd' is offered by several plugins; write use = "
                    "\"org.hob.sgd/sgd\" or use = \"com.lab.fast/sgd\"") != std::string::npos);
  }
}

TEST_CASE("the shortest name of a plugin is the whole id where the last parts are the same",
          "[recipe]") {
  const Catalogue both({offered_by("org.a.sgd", component("optimizer", "sgd")),
                        offered_by("org.b.sgd", component("optimizer", "sgd"))});
  CHECK(both.shortest_use(both.components()[0]) == "org.a.sgd/sgd");
}

TEST_CASE("a component of a refused plugin is the plugin's fault, with the reason", "[recipe]") {
  std::vector<ComponentSchema> components = catalogue().components();
  std::erase_if(components, [](const ComponentSchema& each) { return each.name == "sgd"; });
  const Catalogue without(std::move(components),
                          {{component("optimizer", "sgd"), "it needs hob.ops/2; update hob"}});
  const auto fault_of = [&](const std::string& text) {
    try {
      parse_recipe(text, "recipe.toml", "/", {}, without, nullptr);
      return std::pair(0, std::string());
    } catch (const Error& failure) {
      return std::pair(failure.exit_code(), std::string(failure.what()));
    }
  };
  CHECK(fault_of(kMinimal) ==
        std::pair(3, std::string("recipe.toml:12:7: error: optimizer 'sgd' is in a plugin that was "
                                 "refused: it needs hob.ops/2; update hob")));
  CHECK(fault_of(kMinimal + "clip_norm = 0\n").first == 2);
}

TEST_CASE("the host's own keys are reserved in each kind", "[recipe]") {
  CHECK(reserved_names("optimizer") ==
        std::vector<std::string>{"group", "lr", "match", "use", "weight_decay"});
  CHECK(reserved_names("model") == std::vector<std::string>{"use", "weights"});
  CHECK(reserved_names("dataset") == std::vector<std::string>{"transform", "use"});
  CHECK(reserved_names("schedule") == std::vector<std::string>{"horizon", "use", "warmup"});
  CHECK(reserved_names("callback") == std::vector<std::string>{"use"});
}

}  // namespace
}  // namespace hob::recipe
