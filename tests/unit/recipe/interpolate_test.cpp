#include <catch2/catch_test_macros.hpp>
#include <cstdlib>
#include <filesystem>
#include <string>

#include "unit/recipe/fixture.h"

namespace hob::recipe {
namespace {

using namespace testing;

std::string error_of_run(const std::string& lines) {
  return error_of(kMinimal + "[run]\n" + lines);
}

TEST_CASE("a reference takes the value of another key", "[recipe]") {
  const Recipe recipe = read(kMinimal + R"([run]
name = "x-${optimizer.lr}-${train.epochs}-${loader.shuffle}"
dir = "/out/${run.name}"
[loader]
shuffle = false
[[metric]]
use = "accuracy"
[checkpoint]
best = "${metric.0.use}"
[dataset.eval]
use = "image_folder"
path = "${run.dir}/eval"
)");
  CHECK(recipe.run.name == "x-0.1-2-false");
  CHECK(recipe.run.dir == "/out/x-0.1-2-false");
  CHECK(recipe.checkpoint.best == "accuracy");
  CHECK(std::get<std::string>(recipe.eval_data->component.param("path")) ==
        "/out/x-0.1-2-false/eval");
}

TEST_CASE("a string that is one reference takes the type too", "[recipe]") {
  const Recipe recipe = read(kMinimal + R"([loader]
batch_size = 48
[eval]
batch_size = "${loader.batch_size}"
)");
  CHECK(recipe.eval.batch_size == 48);
}

TEST_CASE("run.dir is the same folder wherever it is used", "[recipe]") {
  const Recipe recipe = read(kMinimal + R"([model.weights]
path = "${run.dir}/w.pt"
)");
  CHECK(recipe.model.weights.path == std::filesystem::current_path() / "runs/recipe/w.pt");
}

TEST_CASE("a reference follows the command line", "[recipe]") {
  const Recipe recipe = read(kMinimal, {"run.name=other"});
  CHECK(recipe.run.dir == std::filesystem::current_path() / "runs/other");
  CHECK(read(kMinimal, {"run.name=lr${optimizer.lr}"}).run.name == "lr0.1");
}

TEST_CASE("the environment is read, and a missing variable is an error", "[recipe]") {
  setenv("HOB_TEST_VARIABLE", "some ${run.name} value", 1);
  unsetenv("HOB_TEST_MISSING");
  const Recipe recipe = read(kMinimal +
                             "[run]\nname = \"a\"\ndevice = \"cpu\"\n[checkpoint]\nbest = \"\"\n"
                             "[model.weights]\npath = \"/w/${env:HOB_TEST_VARIABLE}\"\n");
  CHECK(recipe.model.weights.path == "/w/some ${run.name} value");
  CHECK(error_of_run("name = \"${env:HOB_TEST_MISSING}\"\ndir = \"/x\"\n") ==
        "recipe.toml:17:8: error: the environment has no variable 'HOB_TEST_MISSING', which "
        "${env:HOB_TEST_MISSING} asks for; set it, or write a value");
}

TEST_CASE("a doubled dollar stands for itself, and survives the lock file", "[recipe]") {
  const Recipe recipe = read(kMinimal + "[run]\nname = \"a$${b}$c${train.epochs}\"\n");
  CHECK(recipe.run.name == "a${b}$c2");
  CHECK(read(resolved_toml(recipe)).run.name == "a${b}$c2");
}

TEST_CASE("references in a circle are refused", "[recipe]") {
  CHECK(error_of_run("name = \"${run.name}\"\ndir = \"/x\"\n") ==
        "recipe.toml:17:8: error: ${run.name} depends on itself");
  CHECK(error_of_run("name = \"a${run.dir}\"\ndir = \"/x/${run.name}\"\n") ==
        "recipe.toml:17:8: error: ${run.dir} depends on itself");
}

TEST_CASE("a reference to nothing, to a table or without an end is an error", "[recipe]") {
  const auto error = [](const std::string& value) {
    return error_of_run("name = \"" + value + "\"\ndir = \"/x\"\n");
  };
  const std::string place = "recipe.toml:17:8: error: ";
  CHECK(error("${run.nme}") ==
        place + "the recipe has no key 'run.nme', which ${run.nme} asks for");
  CHECK(error("${}") == place + "the recipe has no key '', which ${} asks for");
  CHECK(error("${metric.0}") ==
        place + "the recipe has no key 'metric.0', which ${metric.0} asks for");
  CHECK(error("${model}") == place + "${model} is table, and not a single value");
  CHECK(error("a${run.dir") ==
        place + "'${' without '}' in 'a${run.dir'; write $${ for a plain ${");
}

TEST_CASE("references that double and double are refused, not expanded", "[recipe]") {
  std::string text = "[x]\na0 = \"" + std::string(100, 'x') + "\"\n";
  for (int i = 1; i < 30; ++i) {
    const std::string below = "${x.a" + std::to_string(i - 1) + "}";
    text += "a" + std::to_string(i) + " = \"" + below + below + "\"\n";
  }
  CHECK(error_of(text + kMinimal).find("the value grows beyond 65536 bytes") != std::string::npos);
}

TEST_CASE("a long chain of references is refused, not followed", "[recipe]") {
  std::string text = "[x]\nz = \"end\"\n";
  for (int i = 0; i < 2000; ++i) {
    text += "a" + std::to_string(i) + " = \"${x.a" + std::to_string(i + 1) + "}\"\n";
  }
  CHECK(error_of(text + "a2000 = \"\"\n" + kMinimal).find("refers on and on, more than 32 times") !=
        std::string::npos);
}

TEST_CASE("a recipe of ever so many references is refused", "[recipe]") {
  std::string text = "x = [";
  for (int i = 0; i < 20'000; ++i) text += "\"${run.name}\",";
  CHECK(error_of(text + "]\n" + kMinimal).find("more than 10000 references in one recipe") !=
        std::string::npos);
}

}  // namespace
}  // namespace hob::recipe
