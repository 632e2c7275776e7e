#include <catch2/catch_test_macros.hpp>
#include <filesystem>
#include <string>
#include <vector>

#include "unit/recipe/fixture.h"

namespace hob::recipe {
namespace {

using namespace testing;

TEST_CASE("tables of an extended recipe merge and arrays of tables are replaced", "[recipe]") {
  const TemporaryFolder folder;
  folder.write("base.toml", kMinimal +
                                "clip_norm = 2.0\n[[metric]]\nuse = \"accuracy\"\n"
                                "[[metric]]\nuse = \"topk\"\n");
  const std::string top = folder.write("top.toml",
                                       "extends = [\"base.toml\"]\n[train]\nepochs = 5\n"
                                       "[[metric]]\nuse = \"topk\"\nk = 3\n");
  const Recipe recipe = load_recipe(top, {}, catalogue(), nullptr);
  CHECK(recipe.train.epochs == 5);
  CHECK(recipe.train.clip_norm == 2.0);
  REQUIRE(recipe.metrics.size() == 1);
  CHECK(recipe.metrics[0].use == "topk");
  CHECK(recipe.run.name == "top");
  CHECK(recipe.path == top);
}

TEST_CASE("of several bases the later wins, and the file over all", "[recipe]") {
  const TemporaryFolder folder;
  folder.write("a.toml", kMinimal + "clip_norm = 1.0\nupdates = 1\n");
  folder.write("b.toml", "[train]\nclip_norm = 2.0\nupdates = 2\n");
  const std::string top =
      folder.write("top.toml", "extends = [\"a.toml\", \"b.toml\"]\n[train]\nupdates = 3\n");
  const Recipe recipe = load_recipe(top, {}, catalogue(), nullptr);
  CHECK(recipe.train.epochs == 2);
  CHECK(recipe.train.clip_norm == 2.0);
  CHECK(recipe.train.updates == 3);
}

TEST_CASE("a path is relative to the file that it is written in", "[recipe]") {
  const TemporaryFolder folder;
  folder.write("shared/base.toml", kMinimal + "[model.weights]\npath = \"w.pt\"\n");
  const std::string top = folder.write("top.toml",
                                       "extends = [\"shared/base.toml\"]\n[dataset.eval]\n"
                                       "use = \"image_folder\"\npath = \"../val\"\n");
  const Recipe recipe = load_recipe(top, {}, catalogue(), nullptr);
  CHECK(recipe.model.weights.path == folder.path() + "/shared/w.pt");
  CHECK(std::get<std::string>(recipe.eval_data->component.param("path")) ==
        std::filesystem::path(folder.path()).parent_path() / "val");
}

TEST_CASE("another component in an overlay drops inherited keys that it lacks, and says so",
          "[recipe]") {
  const TemporaryFolder folder;
  folder.write("sgd.toml", R"([model]
use = "mlp"
num_classes = 10
[dataset.train]
use = "synthetic"
[objective]
use = "cross_entropy"
[optimizer]
use = "sgd"
lr = 0.1
momentum = 0.9
weight_decay = 0.1
[[optimizer.group]]
match = ["fc"]
nesterov = true
lr = 0.2
[train]
epochs = 2
)");
  const std::string top =
      folder.write("top.toml", "extends = [\"sgd.toml\"]\n[optimizer]\nuse = \"adamw\"\n");
  std::vector<std::string> notices;
  const Recipe recipe = load_recipe(top, {}, catalogue(), &notices);
  CHECK(recipe.optimizer.component.use == "adamw");
  CHECK(recipe.optimizer.lr == 0.1);
  CHECK(recipe.optimizer.weight_decay == 0.1);
  CHECK(recipe.optimizer.groups.at(0).lr == 0.2);
  REQUIRE(notices.size() == 1);
  CHECK(notices[0] == top +
                          ":3:7: optimizer.use is now 'adamw' instead of 'sgd'; dropped what "
                          "'adamw' does not take: 'momentum' (" +
                          folder.path() + "/sgd.toml:11:1), 'nesterov' (" + folder.path() +
                          "/sgd.toml:15:1)");
}

TEST_CASE("a key that the overlay itself sets is not dropped but an error", "[recipe]") {
  const TemporaryFolder folder;
  folder.write("base.toml", kMinimal);
  const std::string top = folder.write(
      "top.toml", "extends = [\"base.toml\"]\n[optimizer]\nuse = \"adamw\"\nmomentum = 0.5\n");
  CHECK(error_of_file(top).starts_with(top + ":4:1: error: unknown key 'momentum' in [optimizer]"));
}

TEST_CASE("an unknown component in an overlay is one error, and drops nothing", "[recipe]") {
  const TemporaryFolder folder;
  folder.write("base.toml", kMinimal);
  const std::string top =
      folder.write("top.toml", "extends = [\"base.toml\"]\n[optimizer]\nuse = \"adamq\"\n");
  CHECK(error_of_file(top) ==
        top + ":3:7: error: unknown optimizer 'adamq' in [optimizer]; did you mean 'adamw'?");
}

TEST_CASE("errors in a base stand under its name, behind the recipe's own", "[recipe]") {
  const TemporaryFolder folder;
  folder.write("base.toml", kMinimal + "clip_norm = 0\n");
  const std::string top =
      folder.write("top.toml", "extends = [\"base.toml\"]\n[loader]\nbatch_size = 0\n");
  const std::string error = error_of_file(top);
  CHECK(error.starts_with(top + ":3:14: error: 'batch_size'"));
  CHECK(error.find("\n" + folder.path() + "/base.toml:16:13: error: 'clip_norm'") !=
        std::string::npos);
  folder.write("base.toml", "[broken\n");
  CHECK(error_of_file(top).starts_with(folder.path() + "/base.toml:1:8: error: not valid TOML"));
}

TEST_CASE("a recipe that extends itself is refused with the circle", "[recipe]") {
  const TemporaryFolder folder;
  const std::string a = folder.write("a.toml", "extends = [\"b.toml\"]\n");
  folder.write("b.toml", "extends = [\"./sub/../a.toml\"]\n");
  folder.write("sub/x", "");
  CHECK(error_of_file(a) == folder.path() +
                                "/b.toml:1:12: error: a recipe extends itself: a.toml -> b.toml "
                                "-> a.toml");
  const std::string self = folder.write("self.toml", "\nextends = [\"self.toml\"]\n");
  CHECK(error_of_file(self) ==
        self + ":2:12: error: a recipe extends itself: self.toml -> self.toml");
}

TEST_CASE("a base that two others extend is no circle", "[recipe]") {
  const TemporaryFolder folder;
  folder.write("base.toml", kMinimal);
  folder.write("a.toml", "extends = [\"base.toml\"]\n[train]\nupdates = 1\n");
  folder.write("b.toml", "extends = [\"base.toml\"]\n[loader]\nbatch_size = 5\n");
  const std::string top = folder.write("top.toml", "extends = [\"a.toml\", \"b.toml\"]\n");
  const Recipe recipe = load_recipe(top, {}, catalogue(), nullptr);
  CHECK(recipe.train.updates == 1);
  CHECK(recipe.loader.batch_size == 5);
}

TEST_CASE("files that extend each other twofold again and again are refused", "[recipe]") {
  const TemporaryFolder folder;
  folder.write("0.toml", kMinimal);
  for (int i = 1; i <= 30; ++i) {
    const std::string below = "\"" + std::to_string(i - 1) + ".toml\"";
    folder.write(std::to_string(i) + ".toml", "extends = [" + below + ", " + below + "]\n");
  }
  CHECK(error_of_file(folder.path() + "/30.toml").find("more than 64 files are extended") !=
        std::string::npos);
}

TEST_CASE("extends of a wrong form or a missing file is an error at its place", "[recipe]") {
  const TemporaryFolder folder;
  const std::string missing = folder.write("missing.toml", "extends = [\"none.toml\"]\n");
  CHECK(error_of_file(missing) == missing + ":1:12: error: cannot read '" + folder.path() +
                                      "/none.toml': No such file or directory");
  for (const char* value : {"\"base.toml\"", "3", "[3]", "{}"}) {
    const std::string file =
        folder.write("wrong.toml", "extends = " + std::string(value) + "\n" + kMinimal);
    CHECK(error_of_file(file).starts_with(
        file + ":1:11: error: 'extends': expected array of strings, such as [\"base.toml\"]"));
  }
}

TEST_CASE("a recipe of a newer schema is refused alone", "[recipe]") {
  CHECK(error_of("schema = 2\nfuture = true\n") ==
        "recipe.toml:1:10: error: this recipe is of schema 2, and this hob reads schema 1; use a "
        "newer hob, or write the recipe for schema 1");
  CHECK(error_of("schema = 0\n" + kMinimal).starts_with("recipe.toml:1:10: error: 'schema' at "));
  CHECK(error_of("schema = \"1\"\n" + kMinimal) ==
        "recipe.toml:1:10: error: 'schema' at the top level: expected integer, got string '1'");
}

}  // namespace
}  // namespace hob::recipe
