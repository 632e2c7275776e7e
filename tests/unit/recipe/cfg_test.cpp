#include <catch2/catch_test_macros.hpp>
#include <cmath>
#include <string>
#include <utility>
#include <vector>

#include "unit/recipe/fixture.h"

// The handed cases CFG-01 to CFG-09, each with all its values. Line 16 is the first of a text that
// is appended to kMinimal.

namespace hob::recipe {
namespace {

using namespace testing;

std::string error_of_more(const std::string& more) {
  return error_of(kMinimal + more);
}

// kMinimal with a line in place of another.
std::string with(const std::string& line, const std::string& replacement) {
  std::string text = kMinimal;
  const std::size_t place = text.find(line + "\n");
  REQUIRE(place != std::string::npos);
  return text.replace(place, line.size(), replacement);
}

// case CFG-01
TEST_CASE("a mistyped key is an error that names the nearest right one", "[recipe]") {
  CHECK(error_of(with("lr = 0.1", "learning_rte = 1")) ==
        "recipe.toml:11:1: error: missing key 'lr' in [optimizer] (learning rate; the schedule "
        "multiplies it)\n"
        "recipe.toml:13:1: error: unknown key 'learning_rte' in [optimizer]; did you mean 'lr'?");
  CHECK(error_of(with("num_classes = 10", "num_classes = 10\ndropuot = 0.5")) ==
        "recipe.toml:4:1: error: unknown key 'dropuot' in [model]; did you mean 'dropout'?");
}

// case CFG-01
TEST_CASE("a key in the wrong table is told where it belongs", "[recipe]") {
  CHECK(error_of(with("num_classes = 10", "num_classes = 10\nlr = 0.1")) ==
        "recipe.toml:4:1: error: misplaced key 'lr' in [model]; it belongs in [optimizer]");
  CHECK(error_of(with("num_classes = 10", "num_classes = 10\noptimizer.lr = 0.1")) ==
        "recipe.toml:4:1: error: misplaced table 'optimizer' in [model]; write it as [optimizer]");
  CHECK(error_of("batch_size = 3\n" + kMinimal) ==
        "recipe.toml:1:1: error: misplaced key 'batch_size' at the top level; it belongs in "
        "[loader] or [eval]");
  CHECK(error_of(with("lr = 0.1", "lr = 0.1\nnum_classes = 10")) ==
        "recipe.toml:14:1: error: misplaced key 'num_classes' in [optimizer]; it belongs in "
        "[model]");
}

// case CFG-01
TEST_CASE("a hyphen for an underscore is an error that names the right key", "[recipe]") {
  CHECK(error_of_more("num-epochs = 3\n") ==
        "recipe.toml:16:1: error: unknown key 'num-epochs' in [train]; did you mean 'epochs'?");
  CHECK(error_of_more("clip-norm = 3\n") ==
        "recipe.toml:16:1: error: unknown key 'clip-norm' in [train]; did you mean 'clip_norm'?");
  CHECK(error_of("num-epochs = 3\n" + kMinimal) ==
        "recipe.toml:1:1: error: misplaced key 'num-epochs' at the top level; it belongs in "
        "[train] as 'epochs'");
}

// case CFG-01
TEST_CASE("a plugin's own table is checked against what the plugin declares", "[recipe]") {
  CHECK(error_of_more("[[callback]]\nuse = \"ema\"\nwidth = 3\n") ==
        "recipe.toml:18:1: error: unknown key 'width' in [[callback]]; [[callback]] takes 'use', "
        "'decay'");
  CHECK(error_of_more("[[monitor]]\nuse = \"console\"\nevry = 3\n") ==
        "recipe.toml:18:1: error: unknown key 'evry' in [[monitor]]; did you mean 'every'?");
  CHECK(error_of_more("[[monitor]]\nuse = \"console\"\nextra.deep.key = 3\n") ==
        "recipe.toml:18:1: error: unknown key 'extra' in [[monitor]]; [[monitor]] takes 'use', "
        "'every'");
  CHECK(error_of_more("[[dataset.train.transform]]\nuse = \"resize\"\nsize = 2\nsise = 2\n") ==
        "recipe.toml:19:1: error: unknown key 'sise' in [[dataset.train.transform]]; did you mean "
        "'size'?");
}

// case CFG-03
TEST_CASE("an integer is accepted for a float key, with its value", "[recipe]") {
  const Recipe recipe = read(with("lr = 0.1", "lr = 1\nweight_decay = 0\nmomentum = 0"));
  CHECK(recipe.optimizer.lr == 1.0);
  CHECK(recipe.optimizer.weight_decay == 0.0);
  CHECK(std::get<double>(recipe.optimizer.component.param("momentum")) == 0.0);
}

// case CFG-03
TEST_CASE("a float, a boolean or a string is refused for an integer key", "[recipe]") {
  CHECK(error_of(with("epochs = 2", "epochs = 2.0")) ==
        "recipe.toml:15:10: error: 'epochs' in [train]: expected integer, got float 2.0");
  CHECK(error_of(with("epochs = 2", "epochs = 2.5")) ==
        "recipe.toml:15:10: error: 'epochs' in [train]: expected integer, got float 2.5");
  CHECK(error_of_more("[loader]\nbatch_size = true\n") ==
        "recipe.toml:17:14: error: 'batch_size' in [loader]: expected integer, got boolean true");
  CHECK(error_of_more("[loader]\nbatch_size = \"8\"\n") ==
        "recipe.toml:17:14: error: 'batch_size' in [loader]: expected integer, got string '8'");
  CHECK(error_of(with("num_classes = 10", "num_classes = 10.0")) ==
        "recipe.toml:3:15: error: 'num_classes' in [model]: expected integer, got float 10.0");
}

// case CFG-03
TEST_CASE("a boolean or a string is refused for a float key, and a number for a boolean",
          "[recipe]") {
  CHECK(error_of_more("clip_norm = \"1\"\n") ==
        "recipe.toml:16:13: error: 'clip_norm' in [train]: expected float, got string '1'");
  CHECK(error_of(with("lr = 0.1", "lr = true")) ==
        "recipe.toml:13:6: error: 'lr' in [optimizer]: expected float, got boolean true");
  CHECK(error_of(with("lr = 0.1", "lr = 0.1\nnesterov = 1")) ==
        "recipe.toml:14:12: error: 'nesterov' in [optimizer]: expected boolean, got integer 1");
}

// case CFG-05
TEST_CASE("what TOML forbids to write twice is an error with its line", "[recipe]") {
  CHECK(error_of("lr = 1\nlr = 2\n") ==
        "recipe.toml:2:6: error: not valid TOML: key-value pair: cannot redefine existing integer "
        "'lr'");
  CHECK(error_of("[a.b.c]\nx = 1\n[a]\nb.c.t = 1\n").starts_with("recipe.toml:4:"));
  CHECK(error_of("x = {}\nx.a = 1\n").starts_with("recipe.toml:2:"));
  CHECK(error_of("a = {b = 1}\n[a]\nc = 1\n").starts_with("recipe.toml:2:"));
  CHECK(error_of("[a]\nx = 1\n[a]\ny = 1\n").starts_with("recipe.toml:3:"));
  CHECK(error_of("[a]\nb.c = 1\n[a.b]\nd = 1\n").starts_with("recipe.toml:3:"));
  CHECK(error_of("[[a]]\n[a]\n").starts_with("recipe.toml:2:"));
  CHECK(error_of("a = [{}]\n[[a]]\n").starts_with("recipe.toml:2:"));
}

// case CFG-06
TEST_CASE("a number that is none is a parse error", "[recipe]") {
  for (const char* number : {"9223372036854775808", "0123", "1__0", "1.", ".5", "12ab", "1234abcd",
                             "_1", "1_", "0x", "1e", "1e999", "--1", "1 2"}) {
    INFO(number);
    const std::string error = error_of(with("epochs = 2", std::string("epochs = ") + number));
    CHECK(error.starts_with("recipe.toml:15:"));
    CHECK(error.find("error: not valid TOML: ") != std::string::npos);
    CHECK(error.find('\n') == std::string::npos);
  }
}

// case CFG-06
TEST_CASE("a count that is not positive, or huge, is refused by its range", "[recipe]") {
  CHECK(error_of(with("epochs = 2", "epochs = 0")) ==
        "recipe.toml:15:10: error: 'epochs' in [train]: 0 is out of range; it must be at least 1 "
        "and less than 2147483648");
  CHECK(error_of(with("epochs = 2", "epochs = -1")) ==
        "recipe.toml:15:10: error: 'epochs' in [train]: -1 is out of range; it must be at least 1 "
        "and less than 2147483648");
  for (const char* batch :
       {"-1", "0", "1099511627776", "2147483648", "9223372036854775807", "-9223372036854775808"}) {
    INFO(batch);
    CHECK(error_of_more(std::string("[loader]\nbatch_size = ") + batch + "\n") ==
          std::string("recipe.toml:17:14: error: 'batch_size' in [loader]: ") + batch +
              " is out of range; it must be at least 1 and less than 2147483648");
  }
  CHECK(read(kMinimal + "[loader]\nbatch_size = 2147483647\n").loader.batch_size == 2147483647);
}

// case CFG-08
TEST_CASE("a learning rate, decay or epsilon that is not finite or negative is refused",
          "[recipe]") {
  const std::vector<std::pair<std::string, std::string>> cases{
      {"nan", "nan is not a finite number"},
      {"inf", "inf is not a finite number"},
      {"-inf", "-inf is not a finite number"},
      {"-0.1", "-0.1 is out of range; it must be at least 0"}};
  for (const auto& [value, why] : cases) {
    INFO(value);
    CHECK(error_of(with("lr = 0.1", "lr = " + value)) ==
          "recipe.toml:13:6: error: 'lr' in [optimizer]: " + why);
    CHECK(error_of(with("lr = 0.1", "lr = 0.1\nweight_decay = " + value)) ==
          "recipe.toml:14:16: error: 'weight_decay' in [optimizer]: " + why);
  }
  for (const char* value : {"nan", "inf", "0", "-1e-8"}) {
    INFO(value);
    const std::string adamw = "use = \"adamw\"\neps = " + std::string(value);
    CHECK(error_of(with("use = \"sgd\"", adamw))
              .starts_with("recipe.toml:13:7: error: 'eps' in [optimizer]: "));
  }
  CHECK(read(with("lr = 0.1", "lr = 0")).optimizer.lr == 0);
}

// case CFG-08
TEST_CASE("a clip of inf means off, and 0, nan and negative ones are refused", "[recipe]") {
  CHECK(std::isinf(read(kMinimal + "clip_norm = inf\n").train.clip_norm));
  CHECK(error_of_more("clip_norm = 0\n") ==
        "recipe.toml:16:13: error: 'clip_norm' in [train]: 0 is out of range; it must be greater "
        "than 0, and inf means off");
  for (const char* clip : {"0.0", "-0.0", "-1", "nan", "-inf"}) {
    INFO(clip);
    CHECK(error_of_more(std::string("clip_norm = ") + clip + "\n")
              .starts_with("recipe.toml:16:13: error: 'clip_norm' in [train]: "));
  }
}

// case CFG-09
TEST_CASE("a file of CRLF lines or with a BOM reads as one without", "[recipe]") {
  std::string crlf;
  for (const char c : kMinimal) crlf += c == '\n' ? std::string("\r\n") : std::string(1, c);
  CHECK(resolved_toml(read(crlf)) == resolved_toml(read(kMinimal)));
  CHECK(resolved_toml(read("\xEF\xBB\xBF" + kMinimal)) == resolved_toml(read(kMinimal)));
  CHECK(resolved_toml(read("\xEF\xBB\xBF" + crlf)) == resolved_toml(read(kMinimal)));
}

// case CFG-09
TEST_CASE("invalid UTF-8 is refused with its line", "[recipe]") {
  CHECK(error_of("[run]\nname = \"a\xFF\"\n") ==
        "recipe.toml:2:9: error: not valid TOML: Encountered invalid utf-8 sequence");
  CHECK(error_of("# fine\n# \xC3\x28\n").starts_with("recipe.toml:2:"));
  CHECK(error_of("[run]\nname = \"\xED\xA0\x80\"\n").starts_with("recipe.toml:2:"));
  CHECK(error_of("a = \"\xC0\x80\"\n").starts_with("recipe.toml:1:"));
}

// case CFG-09
TEST_CASE("a date is refused by name where a string is expected", "[recipe]") {
  for (const char* date : {"2024-01-01", "2024-01-01T10:00:00Z", "10:00:00"}) {
    INFO(date);
    CHECK(error_of_more(std::string("[run]\nname = ") + date + "\n") ==
          "recipe.toml:17:8: error: 'name' in [run]: expected string, got date");
  }
}

}  // namespace
}  // namespace hob::recipe
