#include "app/plugin_commands.h"

#include <CLI/CLI.hpp>

#include <memory>

#include "app/commands.h"

namespace hob::app {
namespace {

void add_list(CLI::App& program, const CommonOptions& common, int& code) {
  struct Arguments {
    std::optional<std::string> kind;
    bool refused = false;
  };
  const auto arguments = std::make_shared<Arguments>();
  CLI::App* command = program.add_subcommand("list", "List the components that recipes may name");
  command->add_option("kind", arguments->kind, "Only those of a kind, such as optimizer");
  command->add_flag("--refused", arguments->refused, "The plugins that are not used, and why");
  command->callback([&common, &code, arguments] {
    code = list_command(common, arguments->kind, arguments->refused);
  });
}

void add_describe(CLI::App& program, const CommonOptions& common, int& code) {
  struct Arguments {
    std::string name;
    bool operators = false;
  };
  const auto arguments = std::make_shared<Arguments>();
  CLI::App* command =
      program.add_subcommand("describe", "Show a component's parameters and all it declares");
  command->add_option("name", arguments->name, "NAME, KIND/NAME, PLUGIN/NAME, or a plugin's file")
      ->required();
  command->add_flag("--operators", arguments->operators, "List the operators that it calls");
  command->callback([&common, &code, arguments] {
    code = describe_command(common, arguments->name, arguments->operators);
  });
}

void add_new(CLI::App& program, const CommonOptions& common, int& code) {
  struct Arguments {
    std::string kind, name;
    std::optional<std::filesystem::path> dir;
  };
  const auto arguments = std::make_shared<Arguments>();
  CLI::App* command =
      program.add_subcommand("new", "Write the project of a plugin that builds as it is");
  command->add_option("kind", arguments->kind, "Its kind, such as optimizer")->required();
  command->add_option("name", arguments->name, "Its name in recipes, such as my_optimizer")
      ->required();
  command->add_option("--dir", arguments->dir, "The folder to write; its name by default");
  command->callback([&common, &code, arguments] {
    code = new_command(common, arguments->kind, arguments->name, arguments->dir);
  });
}

void add_verify(CLI::App& program, const CommonOptions& common, int& code) {
  const auto options = std::make_shared<VerifyOptions>();
  CLI::App* command =
      program.add_subcommand("verify", "Test whether plugins do what hob relies on");
  command->add_option("files", options->files, "Plugins' .so files")->required();
  command
      ->add_option("--param", options->params,
                   "NAME=VALUE: a parameter that cannot be made up, such as a path")
      ->allow_extra_args(false);
  command->add_option("--component", options->component, "KIND/NAME: only this one of the plugin");
  command->add_option("--seed", options->seed, "Of all random numbers; 1 by default");
  command->add_option("--timeout", options->limit_s, "Seconds that a test may take; 20 by default")
      ->check(CLI::Range(0.1, 86400.0));
  command->add_option("--reproduce", options->reproduce, "TEST:SEED: only this test");
  command->callback([&common, &code, options] { code = verify_command(common, *options); });
}

}  // namespace

void add_plugin_commands(CLI::App& program, const CommonOptions& common, int& code) {
  add_list(program, common, code);
  add_describe(program, common, code);
  add_new(program, common, code);
  add_verify(program, common, code);
}

}  // namespace hob::app
