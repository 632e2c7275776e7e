#include <algorithm>
#include <catch2/catch_test_macros.hpp>
#include <filesystem>
#include <random>
#include <string>

#include "unit/recipe/fixture.h"

namespace hob::recipe {
namespace {

using namespace testing;

std::string repeated(const std::string& part, std::size_t times) {
  std::string text;
  text.reserve(part.size() * times);
  for (std::size_t i = 0; i < times; ++i) text += part;
  return text;
}

bool is_one_syntax_error(const std::string& error) {
  return error.find(": error: not valid ") != std::string::npos &&
         error.find('\n') == std::string::npos;
}

TEST_CASE("ten megabytes of brackets are a syntax error", "[recipe]") {
  constexpr std::size_t kMany = 10'000'000;
  CHECK(is_one_syntax_error(error_of(std::string(kMany, '['))));
  CHECK(is_one_syntax_error(error_of("a = " + std::string(kMany, '['))));
  CHECK(is_one_syntax_error(error_of("a = " + std::string(kMany, '{'))));
  CHECK(is_one_syntax_error(error_of("a = " + repeated("{a=", kMany / 4))));
  CHECK(is_one_syntax_error(error_of("a = \"" + std::string(kMany, 'x'))));
}

TEST_CASE("a key of a million dotted parts is refused with its line", "[recipe]") {
  const std::string deep = repeated("a.", 1'000'000) + "a";
  const std::string why = "not valid in a recipe: a key of more than 32 dotted parts";
  CHECK(error_of("\n" + deep + " = 1\n") == "recipe.toml:2:1: error: " + why);
  CHECK(error_of("\n\n[" + deep + "]\n") == "recipe.toml:3:1: error: " + why);
  CHECK(error_of(repeated("'a' . ", 100) + "a = 1\n") == "recipe.toml:1:1: error: " + why);
  CHECK(error_of("x = {" + deep + " = 1}\n") == "recipe.toml:1:1: error: " + why);
}

TEST_CASE("dots in texts and comments are no deep key", "[recipe]") {
  CHECK(read(kMinimal + "# " + repeated(". ", 1000) + "\n[run]\nname = \"" +
             repeated("a/b.c ", 100) + "\"\n")
            .run.name.size() == 600);
}

TEST_CASE("values as deep as TOML is let nest are handled like any other", "[recipe]") {
  const std::string deepest = "a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a";
  const std::string text =
      deepest + " = " + repeated("{" + deepest + " = ", 30) + "1" + std::string(30, '}') + "\n";
  CHECK(error_of(text).find("unknown table 'a'") != std::string::npos);
}

TEST_CASE("keys of every look are refused as unknown, safe to print", "[recipe]") {
  CHECK(error_of("\"\" = 1\n" + kMinimal)
            .starts_with("recipe.toml:1:1: error: unknown key '' at the top level; the recipe "
                         "takes 'schema'"));
  CHECK(error_of("\"\\u001b[31m\" = 1\n" + kMinimal)
            .starts_with("recipe.toml:1:1: error: unknown key '\\x1b[31m' at the top level"));
  CHECK(error_of("\"a.b\" = 1\n" + kMinimal)
            .starts_with("recipe.toml:1:1: error: unknown key 'a.b' at the top level"));
  CHECK(error_of("\"dataset.train\" = 1\n" + kMinimal)
            .starts_with("recipe.toml:1:1: error: misplaced table 'dataset.train' at the top "
                         "level; write it as "
                         "[dataset.train]"));
  const std::string long_key(100'000, 'k');
  CHECK(error_of(long_key + " = 1\n" + kMinimal) == "recipe.toml:1:1: error: unknown key '" +
                                                        long_key.substr(0, 120) +
                                                        "...' at the top level");
  CHECK(error_of("\"ключ\" = 1\n" + kMinimal)
            .starts_with("recipe.toml:1:1: error: unknown key 'ключ' at the top level"));
  CHECK(is_one_syntax_error(error_of("ключ = 1\n" + kMinimal)));
}

TEST_CASE("a hundred thousand errors are counted, and the first are shown", "[recipe]") {
  std::string text = kMinimal;
  for (int i = 0; i < 100'000; ++i) text += "key" + std::to_string(i) + " = 1\n";
  const std::string error = error_of(text);
  CHECK(error.starts_with("recipe.toml:16:1: error: unknown key 'key0' in [train]"));
  CHECK(std::count(error.begin(), error.end(), '\n') == 50);
  CHECK(error.ends_with("\n... and more errors of the 100000 in all"));
}

TEST_CASE("a NUL in a text is refused", "[recipe]") {
  CHECK(error_of(kMinimal + "[run]\ndevice = \"a\\u0000b\"\n") ==
        "recipe.toml:17:10: error: 'device' in [run]: the string holds a NUL");
}

TEST_CASE("an empty recipe names all that it must hold", "[recipe]") {
  CHECK(error_of("") ==
        "recipe.toml: error: missing table [model]: there is 'mlp', 'resnet'\n"
        "recipe.toml: error: missing table [dataset.train]: there is 'image_folder', 'synthetic'\n"
        "recipe.toml: error: missing table [objective]: there is 'cross_entropy'\n"
        "recipe.toml: error: missing table [optimizer]: there is 'adamw', 'lomo', 'sgd'\n"
        "recipe.toml: error: missing key in [train]: one of 'epochs', 'updates' or 'max_time' must "
        "say when the training ends");
}

TEST_CASE("a file that cannot be a recipe is refused with its path and the cause", "[recipe]") {
  const TemporaryFolder folder;
  CHECK(error_of_file(folder.path() + "/none.toml") ==
        "cannot read '" + folder.path() + "/none.toml': No such file or directory");
  CHECK(error_of_file(folder.path()) ==
        "cannot read '" + folder.path() + "': it is a folder, and a file was expected");
  CHECK(error_of_file("/dev/zero") == "cannot read '/dev/zero': it is not a regular file");
  const std::string large = folder.write("large.toml", "");
  std::filesystem::resize_file(large, (16u << 20) + 1);
  CHECK(error_of_file(large) ==
        "cannot read '" + large + "': it is larger than the limit of 16MiB");
  CHECK(error_of_file(folder.write("zero.toml", std::string(100, '\0')))
            .find("zero.toml:1:1: error: not valid TOML: ") != std::string::npos);
}

TEST_CASE("a recipe of random mistakes ends as a recipe or as hob's own error", "[recipe]") {
  const std::string letters = "[]{}=.,\"'#\n\r\t ab01_-+:TZ$~\\u\xff\x01\xc3\xa9";
  const std::string valid =
      kMinimal + "[run]\nname = \"${optimizer.lr}\"\n[[optimizer.group]]\nmatch = ['a.*']\n" +
      "[[monitor]]\nuse = \"console\"\n[eval]\nevery = \"3ep\"\n";
  std::mt19937 random(20240101);
  const auto below = [&](std::size_t limit) { return random() % limit; };
  for (int round = 0; round < 3000; ++round) {
    std::string text = valid;
    for (std::size_t change = 0; change <= below(6); ++change) {
      const std::size_t place = below(text.size());
      if (below(3) == 0) {
        text.erase(place, 1 + below(8));
      } else if (below(3) == 0) {
        text.insert(place, text.substr(below(text.size()), below(40)));
      } else {
        text.insert(place, 1, letters[below(letters.size())]);
      }
    }
    INFO(text);
    CHECK_NOTHROW(error_of(text));
  }
}

}  // namespace
}  // namespace hob::recipe
