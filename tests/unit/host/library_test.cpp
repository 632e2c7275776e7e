#include "host/library.h"

#include <hob/abi/entry.h>
#include "base/error.h"
#include "host_fixture.h"
#include "support/raw_file.h"
#include "support/temp_folder.h"

#include <catch2/catch_test_macros.hpp>
#include <catch2/generators/catch_generators.hpp>
#include <catch2/matchers/catch_matchers_string.hpp>

#include <sys/wait.h>
#include <unistd.h>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <string>

namespace {

namespace fs = std::filesystem;
using Catch::Matchers::ContainsSubstring;
using Catch::Matchers::StartsWith;
using hob::host::load_library;
using hob::host::LoadContext;
using hob::host::Plugin;
using hob::host::Registry;
using hob::test::bad_plugin;
using hob::test::copy_plugin;
using hob::test::read_raw;
using hob::test::scan;
using hob::test::TempFolder;

LoadContext context() {
  static const hob_host host = {sizeof(hob_host), 1, 0, 0,
                                [](const char*) -> const void* { return nullptr; }};
  LoadContext context;
  context.host = &host;
  context.take_error = [](hob_error*) { return std::string("the plugin's own words"); };
  context.check_component = [](const auto&, const auto&) { return std::string(); };
  return context;
}

// The vetted plugin in a file.
Plugin vet(const fs::path& file) {
  const Registry registry = scan(file);
  for (const auto& refusal : registry.refusals()) FAIL(refusal.message());
  REQUIRE(registry.plugins().size() == 1);
  return registry.plugins()[0];
}

// Why loading fails, or "loaded".
std::string load_failure(const Plugin& plugin, const LoadContext& with = context()) {
  try {
    load_library(plugin, with);
    return "loaded";
  } catch (const hob::Error& error) {
    CHECK(error.fault() == hob::Fault::kPlugin);
    CHECK_THAT(
        error.what(),
        StartsWith("plugin '" + plugin.descriptor.id + "' 1.0.0 cannot be loaded\n  file     " +
                   plugin.file.string() + "  sha256 " + plugin.sha256 + "\n  found    "));
    return error.what();
  }
}

std::string failure(const std::string& plugin) {
  return load_failure(vet(bad_plugin(plugin)));
}

TEST_CASE("a vetted plugin is loaded and its table can be called", "[host]") {
  const hob_plugin* table = load_library(vet(bad_plugin("good")), context());
  REQUIRE(table->n_components == 1);
  CHECK(std::string(table->components[0]->name) == "good");
  void* self = nullptr;
  CHECK(table->components[0]->table->create(nullptr, nullptr, &self) == nullptr);
  CHECK(self != nullptr);
  table->components[0]->table->destroy(self);
}

TEST_CASE("a loaded plugin stays when its file is removed", "[host]") {
  const hob_plugin* table = nullptr;
  {
    const TempFolder folder;
    table = load_library(vet(copy_plugin("good", folder.path())), context());
  }
  void* self = nullptr;
  CHECK(table->components[0]->table->create(nullptr, nullptr, &self) == nullptr);
}

// case PLG-01
TEST_CASE("an undefined symbol is found when the plugin is loaded, and named", "[host]") {
  const std::string why = failure("undefined_symbol");
  CHECK_THAT(why, ContainsSubstring("undefined symbol: _ZN7nowhere7to_findEi, that is "
                                    "nowhere::to_find(int)"));
  CHECK_THAT(why, !ContainsSubstring("Bad file descriptor"));
}

// case PLG-03
TEST_CASE("a library beside the plugin is loaded with it, and named when it is gone", "[host]") {
  const TempFolder folder;
  const fs::path file = copy_plugin("needs_loaded_library", folder.path());
  const fs::path built =
      fs::path(HOB_BAD_PLUGINS) / "dependencies/libhob_test_loaded_dependency.so";
  const fs::path dependency = folder / "libhob_test_loaded_dependency.so";
  fs::copy_file(built, dependency);
  const Plugin plugin = vet(file);
  fs::remove(dependency);
  CHECK_THAT(load_failure(plugin),
             ContainsSubstring("libhob_test_loaded_dependency.so: cannot open shared object file: "
                               "No such file or directory"));
  fs::copy_file(built, dependency);
  CHECK(load_library(plugin, context()) != nullptr);
}

// cases PLG-06, PLG-08: the types are hidden, and one plugin has a C++ run time of its own.
TEST_CASE("an exception out of the entry is caught, with its type and text", "[host]") {
  CHECK_THAT(failure("throws_error"),
             ContainsSubstring("hob_plugin_main threw std::runtime_error: no luck"));
  CHECK_THAT(failure("throws_int"), ContainsSubstring("hob_plugin_main threw int\n"));
  CHECK_THAT(failure("throws_bad_alloc"),
             ContainsSubstring("hob_plugin_main threw std::bad_alloc: "));
  CHECK_THAT(failure("throws_own_error"), ContainsSubstring("OwnError: hidden type"));
  CHECK_THAT(failure("throws_own_error_static"), ContainsSubstring("OwnError: own run time"));
}

// case PLG-06
TEST_CASE("an exception out of a static constructor ends the process, and says whose", "[host]") {
  const Plugin plugin = vet(bad_plugin("throws_in_static"));
  const TempFolder folder;
  const fs::path output = folder / "stderr.txt";
  const pid_t child = fork();
  REQUIRE(child >= 0);
  if (child == 0) {
    if (std::freopen(output.c_str(), "w", stderr) == nullptr) _exit(99);
    load_library(plugin, context());
    _exit(0);
  }
  int status = 0;
  REQUIRE(waitpid(child, &status, 0) == child);
  REQUIRE(WIFEXITED(status));
  CHECK(WEXITSTATUS(status) == static_cast<int>(hob::Fault::kPlugin));
  const std::string said = read_raw(output);
  CHECK_THAT(said, ContainsSubstring("plugin 'org.hob.test.throws' 1.0.0 cannot be loaded"));
  CHECK_THAT(said, ContainsSubstring("a static constructor of the plugin threw ") &&
                       ContainsSubstring("OwnError: thrown while the library was loaded\n"));
}

TEST_CASE("an error that the entry returns is shown in the plugin's words", "[host]") {
  CHECK_THAT(failure("fails"), ContainsSubstring("hob_plugin_main failed: the plugin's own words"));
}

TEST_CASE("a table that does not hold what the descriptor says is refused", "[host]") {
  struct Wrong {
    std::string plugin;
    std::string why;
  };
  const Wrong wrong =
      GENERATE(Wrong{"no_table", "hob_plugin_main gave no table"},
               Wrong{"tiny_plugin", "hob_plugin.struct_size is 8, at least 16 are needed"},
               Wrong{"more_components", "the table has 2 components, the descriptor 1"},
               Wrong{"no_components", "the table's list of components is NULL"},
               Wrong{"no_component",
                     "component 0, by the descriptor optimizer \"good\" of "
                     "hob.optimizer/1: it is NULL"},
               Wrong{"tiny_component", "its struct_size is 8, at least 40 are needed"},
               Wrong{"no_name", "its kind, name or interface is NULL"},
               Wrong{"other_name", "the table has optimizer \"another\" of hob.optimizer/1"},
               Wrong{"no_component_table", "its table is NULL"},
               Wrong{"tiny_table", "its table's struct_size is 8, at least 48 are needed"},
               Wrong{"no_create", "create or destroy is NULL"});
  CHECK_THAT(failure(wrong.plugin), ContainsSubstring(wrong.why));
}

TEST_CASE("the check of a kind's own functions can refuse a component", "[host]") {
  LoadContext strict = context();
  strict.check_component = [](const hob::recipe::ComponentSchema& schema, const hob_component&) {
    return schema.kind + " without step";
  };
  CHECK_THAT(load_failure(vet(bad_plugin("good")), strict),
             ContainsSubstring(": optimizer without step\n"));
}

}  // namespace
