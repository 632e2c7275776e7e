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

}  // namespace

void add_plugin_commands(CLI::App& program, const CommonOptions& common, int& code) {
  add_list(program, common, code);
  add_describe(program, common, code);
  add_new(program, common, code);
}

}  // namespace hob::app
