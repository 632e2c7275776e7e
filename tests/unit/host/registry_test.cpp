#include "host/registry.h"

#include "base/error.h"
#include "host_fixture.h"
#include "support/raw_file.h"
#include "support/temp_folder.h"

#include <catch2/catch_test_macros.hpp>
#include <catch2/generators/catch_generators.hpp>
#include <catch2/matchers/catch_matchers_exception.hpp>
#include <catch2/matchers/catch_matchers_string.hpp>

#include <sys/stat.h>
#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <string>
#include <vector>

namespace {

namespace fs = std::filesystem;
using Catch::Matchers::ContainsSubstring;
using Catch::Matchers::MessageMatches;
using Catch::Matchers::StartsWith;
using hob::host::HostOffer;
using hob::host::Registry;
using hob::host::SearchPath;
using hob::test::bad_plugin;
using hob::test::copy_plugin;
using hob::test::read_raw;
using hob::test::scan;
using hob::test::TempFolder;
using hob::test::test_offer;
using hob::test::write_raw;

// The message with which a plugin is refused; the test fails when it is not.
std::string refusal_of(const fs::path& file, const HostOffer& offer = test_offer()) {
  const Registry registry = scan(file, offer);
  CHECK(registry.plugins().empty());
  REQUIRE(registry.refusals().size() == 1);
  return registry.refusals()[0].message();
}

struct Wrong {
  std::string plugin;
  std::string needs;
  std::string but;
};

TEST_CASE("a plugin that this hob can serve is found with its components", "[host]") {
  const Registry registry = scan(bad_plugin("good"));
  CHECK(registry.refusals().empty());
  REQUIRE(registry.plugins().size() == 1);
  const auto& plugin = registry.plugins()[0];
  CHECK(plugin.file == bad_plugin("good"));
  CHECK(plugin.sha256.size() == 64);
  CHECK(plugin.descriptor.id == "org.hob.test.good");
  CHECK(registry.find("org.hob.test.good") == &plugin);
  CHECK(registry.find("org.hob.test.none") == nullptr);
  REQUIRE(registry.catalogue().size() == 1);
  CHECK(registry.catalogue()[0].name == "good");
}

TEST_CASE("a plugin made with the SDK's C++ side is read without being loaded", "[host]") {
  const Registry registry = scan(bad_plugin("sdk"));
  for (const auto& refusal : registry.refusals()) FAIL(refusal.message());
  REQUIRE(registry.plugins().size() == 1);
  const auto& descriptor = registry.plugins()[0].descriptor;
  CHECK(descriptor.id == "org.hob.test.sdk");
  CHECK(descriptor.tier == hob::host::Tier::kStable);
  REQUIRE(descriptor.components.size() == 1);
  CHECK(descriptor.components[0].name == "signsgd");
  REQUIRE(descriptor.components[0].params.size() == 1);
  CHECK(descriptor.components[0].params[0].name == "scale");
  CHECK(descriptor.components[0].params[0].min == 0.0);
  CHECK(descriptor.components[0].params[0].min_open);
  CHECK(descriptor.host_interfaces == std::vector<std::string>{"hob.core/1", "hob.ops/1"});
  REQUIRE(descriptor.operator_schemas.size() == 2);
  CHECK_THAT(descriptor.operator_schemas[0], StartsWith("aten::_foreach_add_."));
  CHECK_THAT(descriptor.operator_schemas[1], StartsWith("aten::_foreach_sign("));
}

TEST_CASE("what a plugin needs and this hob lacks is named, with what it has", "[host]") {
  const Wrong wrong = GENERATE(
      Wrong{"newer_sdk", "SDK 1.99 or later", "this hob offers SDK 1.0"},
      Wrong{"other_sdk", "SDK 2.0 or a later one of the same major", "this hob offers SDK 1.0"},
      Wrong{"old_draft", "hob.sockets/1 (which it calls)", "this hob offers hob.sockets/2"},
      Wrong{"unknown_table", "hob.teleport/1 (which it calls)", "this hob offers no hob.teleport"},
      Wrong{"other_interface", "hob.optimizer/9 (of its optimizer \"good\")",
            "this hob offers hob.optimizer/1"},
      Wrong{"unknown_kind", "hob.teleport/1 (of its teleport \"good\")",
            "this hob offers no hob.teleport"},
      Wrong{"imports_torch",
            "symbols of LibTorch: ", "it is of the stable tier, which may import none"},
      Wrong{"links_torch", "libtorch_cpu.so", "it is of the stable tier, which may not link"},
      Wrong{"links_vendored_torch", "libtorch_cpu-0123abcd.so", "it is not of this hob's LibTorch"},
      Wrong{"links_openmp", "libomp.so.5", "this hob has an OpenMP (libgomp.so.1)"},
      // case PLG-03
      Wrong{"needs_library", "the library libhob_test_dependency.so", "it is not found by RUNPATH"},
      Wrong{"no_entry", "the exported function hob_plugin_main", "the file has none"});
  const std::string message = refusal_of(bad_plugin(wrong.plugin));
  CHECK_THAT(message, StartsWith("plugin 'org.hob.test.good' 1.0.0 refused; none of its code was "
                                 "run\n  file     " +
                                 bad_plugin(wrong.plugin).string() + "  sha256 "));
  CHECK_THAT(message, ContainsSubstring("\n  needs    " + wrong.needs));
  CHECK_THAT(message, ContainsSubstring("\n  but      " + wrong.but));
  CHECK_THAT(message, ContainsSubstring("\n  fix      "));
}

TEST_CASE("a file without a readable descriptor is refused by what is wrong with it", "[host]") {
  struct Unreadable {
    std::string plugin;
    std::string why;
  };
  const Unreadable unreadable = GENERATE(
      Unreadable{"no_descriptor", "it has notes of hob, but no descriptor"},
      Unreadable{"two_descriptors", "two descriptors"},
      Unreadable{"bad_json", "descriptor: not valid JSON"},
      Unreadable{"oversized_note", "a note of hob has 1048580 bytes, at most 1048576 are allowed"},
      Unreadable{"no_note", "it has no note of hob: it is some other library"});
  const std::string message = refusal_of(bad_plugin(unreadable.plugin));
  CHECK_THAT(message, StartsWith("plugin refused; none of its code was run\n"));
  CHECK_THAT(message, ContainsSubstring("needs    an x86-64 shared library with a descriptor"));
  CHECK_THAT(message, ContainsSubstring("but      " + unreadable.why));
}

TEST_CASE("a stable plugin that imports LibTorch sees the first symbols demangled", "[host]") {
  const std::string message = refusal_of(bad_plugin("imports_torch"));
  CHECK_THAT(message, ContainsSubstring("vtable for c10::TensorImpl"));
  CHECK_THAT(message, ContainsSubstring("torch::autograd::Node::name() const"));
  CHECK_THAT(message, ContainsSubstring("and 2 more"));
}

TEST_CASE("a native plugin needs exactly this LibTorch, and each other field is named", "[host]") {
  CHECK(scan(bad_plugin("native")).plugins().size() == 1);
  CHECK(scan(bad_plugin("native_imports")).plugins().size() == 1);

  HostOffer offer = test_offer();
  offer.torch = {"9.8.8", "def", "13.0", 0};
  const std::string message = refusal_of(bad_plugin("native"), offer);
  CHECK_THAT(message, ContainsSubstring("needs    LibTorch version 9.8.7\n  but      this hob runs "
                                        "on LibTorch version 9.8.8"));
  CHECK_THAT(message, ContainsSubstring("needs    LibTorch git abc\n  but      this hob runs on "
                                        "LibTorch git def"));
  CHECK_THAT(message, ContainsSubstring("needs    LibTorch CUDA none\n  but      this hob runs on "
                                        "LibTorch CUDA 13.0"));
  CHECK_THAT(message, ContainsSubstring("needs    LibTorch cxx11_abi 1\n  but      this hob runs "
                                        "on LibTorch cxx11_abi 0"));

  offer = test_offer();
  offer.torch.git = "def";
  CHECK_THAT(refusal_of(bad_plugin("native"), offer), !ContainsSubstring("version 9.8.7"));
}

TEST_CASE("a plugin whose operators have changed is refused, each with its reason", "[host]") {
  HostOffer offer = test_offer();
  std::vector<std::string> asked;
  offer.incompatible_operators = [&](const std::vector<std::string>& schemas) {
    asked = schemas;
    return std::vector<std::string>{"operator aten::sign is gone",
                                    "operator aten::add has changed"};
  };
  const std::string message = refusal_of(bad_plugin("sdk"), offer);
  REQUIRE(asked.size() == 2);
  CHECK_THAT(asked[1], StartsWith("aten::_foreach_sign("));
  CHECK_THAT(message, ContainsSubstring("needs    LibTorch's operators as they were when it was "
                                        "built\n  but      operator aten::sign is gone"));
  CHECK_THAT(message, ContainsSubstring("but      operator aten::add has changed"));
}

// case PLG-03
TEST_CASE("a library beside the plugin is found only where its RUNPATH says so", "[host]") {
  const TempFolder folder;
  copy_plugin("needs_library", folder.path());
  const fs::path beside = copy_plugin("needs_library_beside", folder.path());
  CHECK(scan(folder.path()).plugins().empty());
  CHECK_THAT(refusal_of(beside), ContainsSubstring("the library libhob_test_dependency.so"));

  fs::copy_file(fs::path(HOB_BAD_PLUGINS) / "dependencies/libhob_test_dependency.so",
                folder / "libhob_test_dependency.so");
  const Registry registry = scan(folder.path());
  REQUIRE(registry.plugins().size() == 1);
  CHECK(registry.plugins()[0].file == beside);
  REQUIRE(registry.skips().size() == 1);
  CHECK(registry.skips()[0].file == folder / "libhob_test_dependency.so");
}

// case PLG-05
TEST_CASE("of two files with one plugin id the first counts, and both are named", "[host]") {
  const TempFolder folder;
  const fs::path first = copy_plugin("good", folder.path(), "a.so");
  const fs::path second = copy_plugin("good", folder.path(), "b.so");
  const Registry registry = scan(folder.path());
  REQUIRE(registry.plugins().size() == 1);
  CHECK(registry.plugins()[0].file == first);
  REQUIRE(registry.refusals().size() == 1);
  CHECK(registry.refusals()[0].file == second);
  CHECK_THAT(
      registry.refusals()[0].message(),
      ContainsSubstring(second.string()) &&
          ContainsSubstring("'org.hob.test.good' 1.0.0 was already found in " + first.string()));
}

// case PLG-05
TEST_CASE("a file is examined once, whatever the number of names that lead to it", "[host]") {
  const TempFolder folder;
  const fs::path file = copy_plugin("good", folder.path());
  fs::create_symlink(file, folder / "link.so");
  fs::create_hard_link(file, folder / "hard.so");
  fs::create_directory_symlink(folder.path(), folder / "again");
  const Registry registry({{file, folder.path(), folder / "again", file}, {folder.path()}},
                          test_offer());
  CHECK(registry.plugins().size() == 1);
  CHECK(registry.refusals().empty());
}

TEST_CASE("two plugins may offer a component of the same name", "[host]") {
  const TempFolder folder;
  copy_plugin("good", folder.path());
  copy_plugin("good_too", folder.path());
  const Registry registry = scan(folder.path());
  CHECK(registry.refusals().empty());
  REQUIRE(registry.catalogue().size() == 2);
  CHECK(registry.catalogue()[0].name == registry.catalogue()[1].name);
  CHECK(registry.catalogue()[0].plugin_id == "org.hob.test.good");
  CHECK(registry.catalogue()[1].plugin_id == "org.hob.test.good_too");
}

// case PLG-01
TEST_CASE("files in the plugin folder that are no libraries are refused by name", "[host]") {
  const TempFolder folder;
  write_raw(folder / "empty.so", "");
  write_raw(folder / "text.so", "This is not a library.\n");
  std::string arm = read_raw(bad_plugin("good"));
  arm[18] = '\xb7';  // e_machine: EM_AARCH64
  write_raw(folder / "arm.so", arm);
  fs::create_symlink(folder / "gone", folder / "dangling.so");
  fs::create_directory(folder / "folder.so");
  REQUIRE(mkfifo((folder / "pipe.so").c_str(), 0600) == 0);
  write_raw(folder / "notes.txt", "passed over");

  const Registry registry = scan(folder.path());
  CHECK(registry.plugins().empty());
  std::vector<std::string> found;
  for (const auto& refusal : registry.refusals()) {
    found.push_back(refusal.file.filename().string() + ": " + refusal.reasons.at(0).but);
  }
  CHECK(found == std::vector<std::string>{
                     "arm.so: built for AArch64, this is x86-64",
                     "dangling.so: cannot read '" + (folder / "dangling.so").string() +
                         "': No such file or directory",
                     "empty.so: an empty file, not an ELF file",
                     "pipe.so: cannot read '" + (folder / "pipe.so").string() +
                         "': it is not a regular file",
                     "text.so: not an ELF file",
                 });
}

TEST_CASE("a library without a note of hob is passed over in a folder", "[host]") {
  const TempFolder folder;
  const fs::path file = copy_plugin("no_note", folder.path());
  const Registry registry = scan(folder.path());
  CHECK(registry.refusals().empty());
  REQUIRE(registry.skips().size() == 1);
  CHECK(registry.skips()[0].file == file);
}

TEST_CASE("a good plugin is usable beside every bad one, and no code runs", "[host]") {
  // Each plugin of tests/bad_plugins leaves this mark when it is loaded. The copies are new files
  // to the loader, whatever other tests have loaded.
  unsetenv("HOB_TEST_CODE_RAN");
  const TempFolder folder;
  for (const auto& entry : fs::directory_iterator(HOB_BAD_PLUGINS)) {
    if (entry.is_regular_file()) fs::copy(entry, folder / entry.path().filename());
  }
  const Registry registry = scan(folder.path());
  CHECK(registry.refusals().size() > 20);
  REQUIRE(registry.find("org.hob.test.good_too") != nullptr);
  CHECK(registry.find("org.hob.test.good_too")->file == folder / "good_too.so");
  CHECK(std::getenv("HOB_TEST_CODE_RAN") == nullptr);
}

// case PLG-09
TEST_CASE("plugins are found in folders with spaces, other scripts and long paths", "[host]") {
  const TempFolder folder;
  const fs::path cyrillic = copy_plugin("good", folder / "мой плагин", "lib x.so");
  const fs::path deep =
      copy_plugin("good_too", folder / std::string(150, 'd') / std::string(150, 'e'));
  CHECK(deep.string().size() > 300);
  const Registry registry({{cyrillic.parent_path(), deep}, {}}, test_offer());
  REQUIRE(registry.plugins().size() == 2);
  CHECK(registry.plugins()[0].file == cyrillic);
  CHECK(registry.plugins()[1].file == deep);
}

TEST_CASE("an explicit plugin path must exist, another one need not", "[host]") {
  const TempFolder folder;
  CHECK_THROWS_MATCHES(
      Registry({{folder / "gone"}, {}}, test_offer()), hob::Error,
      MessageMatches(ContainsSubstring("--plugin-path " + (folder / "gone").string() +
                                       ": no such file or folder")));
  const Registry registry({{}, {folder / "gone"}}, test_offer());
  REQUIRE(registry.skips().size() == 1);
  CHECK(registry.skips()[0].why == "no such file or folder");
}

TEST_CASE("the search path is the option, the variable and the installed folder", "[host]") {
  setenv("HOB_PLUGIN_PATH", "/a:/b c::/d:", 1);
  const SearchPath path = hob::host::make_search_path({"/first"});
  unsetenv("HOB_PLUGIN_PATH");
  CHECK(path.explicit_entries == std::vector<fs::path>{"/first"});
  REQUIRE(path.other_entries.size() == 4);
  CHECK(path.other_entries[0] == "/a");
  CHECK(path.other_entries[1] == "/b c");
  CHECK(path.other_entries[2] == "/d");
  const fs::path program = fs::read_symlink("/proc/self/exe");
  CHECK(path.other_entries[3] == program.parent_path().parent_path() / "lib/hob/plugins");
  CHECK_THAT(path.text(), StartsWith("plugins were looked for in /first, /a, /b c, /d, "));
}

TEST_CASE("a recipe learns why the plugin of a component was refused", "[host]") {
  const Registry registry = scan(bad_plugin("old_draft"));
  const auto refused = registry.refused_components();
  REQUIRE(refused.size() == 1);
  CHECK(refused[0].schema.kind == "optimizer");
  CHECK(refused[0].schema.name == "good");
  CHECK_THAT(refused[0].reason, ContainsSubstring("this hob offers hob.sockets/2"));
  CHECK_THAT(registry.refusals()[0].message("recipe.toml:14"),
             ContainsSubstring("  (recipe.toml:14)\n"));
}

}  // namespace
