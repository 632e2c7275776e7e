#include <iostream>
#include <nlohmann/json.hpp>

#include "app/commands.h"
#include "app/run.h"
#include "base/error.h"
#include "base/log.h"
#include "base/text.h"
#include "train/evaluation.h"
#include "train/event_bus.h"
#include "train/export.h"
#include "train/snapshot.h"

namespace hob::app {
namespace {

// A run with a checkpoint's weights and state in place. Nothing in the run's folder is changed.
struct OpenedRun {
  recipe::Recipe recipe;
  train::Checkpoint checkpoint;
  std::unique_ptr<session::Session> session;
  train::Progress progress;
};

OpenedRun open_run(const std::filesystem::path& run_dir,
                   const std::optional<std::string>& checkpoint,
                   const std::vector<std::string>& overrides, session::Plugins& plugins) {
  OpenedRun run;
  run.recipe = load_run(run_dir, overrides, plugins);
  const train::CheckpointStore store(run.recipe.run.dir);
  run.checkpoint = choose_checkpoint(store, checkpoint, run.recipe);
  recipe::Recipe quiet = run.recipe;
  quiet.monitors.clear();  // they would write into the run's files
  run.session = std::make_unique<session::Session>(quiet, plugins, /*resumes=*/true);
  run.progress = train::restore(*run.session, run.checkpoint.dir).progress;
  return run;
}

}  // namespace

int eval_command(const CommonOptions& common, const std::filesystem::path& run_dir,
                 const std::optional<std::string>& checkpoint,
                 const std::vector<std::string>& overrides) {
  const auto plugins = find_plugins(common);
  const OpenedRun run = open_run(run_dir, checkpoint, overrides, *plugins);
  if (!run.session->eval_data) {
    throw Error(Fault::kUsage,
                "the run has no [dataset.eval] to evaluate on; give one with "
                "+dataset.eval.use=... and its keys");
  }
  train::EventBus bus(*run.session, run.progress.update, run.progress.epoch);
  train::Evaluation evaluation(*run.session);
  bus.emit(HOB_EVENT_EVAL_BEGIN, run.progress);
  const train::Scalars results = evaluation.run();
  bus.emit(HOB_EVENT_EVAL_END, run.progress, results);

  nlohmann::json json{{"update", run.progress.update}};
  std::string text = "update " + std::to_string(run.progress.update);
  for (const auto& [name, value] : results) {
    json["results"][name] = value;
    text += ", " + name + " " + format_number(value);
  }
  std::cout << (common.json ? json.dump() : text) << std::endl;
  return 0;
}

int export_command(const CommonOptions& common, const std::filesystem::path& run_dir,
                   const std::optional<std::string>& checkpoint,
                   const std::filesystem::path& output, const std::vector<std::string>& overrides) {
  const auto plugins = find_plugins(common);
  const OpenedRun run = open_run(run_dir, checkpoint, overrides, *plugins);
  const std::filesystem::path path = std::filesystem::absolute(output);
  train::export_model(*run.session, run.progress, path);
  if (common.json) {
    std::cout << nlohmann::json{{"update", run.progress.update}, {"file", path.string()}}.dump()
              << std::endl;
  } else {
    log::info("exported update " + std::to_string(run.progress.update) + " to " + path.string());
  }
  return 0;
}

int check_command(const CommonOptions& common, const std::filesystem::path& path,
                  const std::vector<std::string>& overrides) {
  const auto plugins = find_plugins(common);
  std::vector<std::string> notices;
  const recipe::Recipe recipe =
      recipe::load_recipe(path, overrides, plugins->catalogue(), &notices);
  for (const std::string& notice : notices) log::info(notice);
  std::cout << recipe::resolved_toml(recipe);
  return 0;
}

}  // namespace hob::app
