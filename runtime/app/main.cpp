#include <CLI/CLI.hpp>

#include <csignal>
#include <functional>
#include <iostream>
#include <string_view>

#include "app/commands.h"
#include "app/plugin_commands.h"
#include "base/error.h"
#include "base/log.h"
#include "session/error_text.h"

namespace {

using hob::app::CommonOptions;

// One command with the arguments that several of them share.
struct Command {
  CLI::App* app = nullptr;
  std::filesystem::path subject;
  std::vector<std::string> overrides;
  std::optional<std::string> checkpoint;
  std::filesystem::path output;
};

CLI::App* add_command(CLI::App& program, Command& command, const std::string& name,
                      const std::string& help, const std::string& subject,
                      const std::string& subject_help) {
  command.app = program.add_subcommand(name, help);
  command.app->add_option(subject, command.subject, subject_help)->required();
  command.app->add_option("overrides", command.overrides,
                          "Changes: a.b=value sets, +a.b=value adds, ~a.b deletes");
  return command.app;
}

void add_checkpoint_option(Command& command) {
  command.app->add_option("--checkpoint", command.checkpoint,
                          "\"latest\" (the default), \"best\" or an update's number");
}

int dispatch(int argc, char** argv) {
  CLI::App program("hob trains neural networks from a recipe; every part of a run is a plugin.",
                   "hob");
  program.require_subcommand(1);
  program.fallthrough();
  program.set_version_flag("--version", HOB_VERSION);
  CommonOptions common;
  program
      .add_option("--plugin-path", common.plugin_path,
                  "A folder of plugins or a plugin's file; may be given several times")
      ->allow_extra_args(false);  // or it would take the recipe behind it for another folder
  program.add_flag("--json", common.json, "Results as JSON on standard output");

  Command run, resume, eval, check, exports;
  add_command(program, run, "run", "Train as a recipe says", "recipe", "A recipe (TOML)");
  add_command(program, resume, "resume", "Go on with a run that was stopped", "run",
              "The run's folder");
  add_command(program, eval, "eval", "Evaluate a checkpoint of a run", "run", "The run's folder");
  add_checkpoint_option(eval);
  add_command(program, check, "check", "Check a recipe and print it with all defaults", "recipe",
              "A recipe (TOML)");
  add_command(program, exports, "export", "Write a run's model to a safetensors file", "run",
              "The run's folder");
  add_checkpoint_option(exports);
  exports.app->add_option("--output,-o", exports.output, "The file to write")->required();
  int code = 0;
  using namespace hob::app;
  add_plugin_commands(program, common, code);
  run.app->callback([&] { code = run_command(common, run.subject, run.overrides); });
  resume.app->callback([&] { code = resume_command(common, resume.subject, resume.overrides); });
  eval.app->callback(
      [&] { code = eval_command(common, eval.subject, eval.checkpoint, eval.overrides); });
  check.app->callback([&] { code = check_command(common, check.subject, check.overrides); });
  exports.app->callback([&] {
    code = export_command(common, exports.subject, exports.checkpoint, exports.output,
                          exports.overrides);
  });
  try {
    program.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    // CLI11's own codes are all kinds of a wrong command line.
    return program.exit(error) == 0 ? 0 : static_cast<int>(hob::Fault::kUsage);
  }
  std::cout.flush();
  if (!std::cout) {
    throw hob::Error(hob::Fault::kRun, "the results could not be written to standard output");
  }
  return code;
}

}  // namespace

int main(int argc, char** argv) {
  // A full quota or a reader that went away ("| head") is an error of the write that met it.
  std::signal(SIGXFSZ, SIG_IGN);
  std::signal(SIGPIPE, SIG_IGN);
  try {
    return dispatch(argc, argv);
  } catch (const hob::Error& error) {
    const std::string_view text = error.what();
    // Errors of a recipe stand at their places, "recipe.toml:3:1: error: ...", as editors read
    // them.
    const bool placed = text.find(": error: ") != std::string_view::npos;
    placed ? hob::log::info(std::string(text)) : hob::log::error(std::string(text));
    return error.exit_code();
  } catch (const std::filesystem::filesystem_error& error) {
    hob::log::error(std::string(error.what()) +
                    "; check the path on the command line or in the recipe");
    return static_cast<int>(hob::Fault::kUsage);
  } catch (const std::exception& error) {
    hob::log::error(hob::session::error_text(error));
  }
  return static_cast<int>(hob::Fault::kRun);
}
