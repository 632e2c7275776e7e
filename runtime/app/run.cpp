#include "app/run.h"

#include <cmath>
#include <iostream>
#include <nlohmann/json.hpp>

#include "app/commands.h"
#include "base/error.h"
#include "base/file.h"
#include "base/log.h"
#include "base/text.h"
#include "session/lock.h"
#include "train/export.h"
#include "train/stop_signal.h"
#include "train/store/best_tracker.h"
#include "train/store/run_folder.h"
#include "train/trainer.h"

namespace hob::app {
namespace {

constexpr const char* kLogName = "run.log";

void write_lock_file(const recipe::Recipe& recipe) {
  write_file_atomic(recipe.run.dir / train::kLockRecipeName, recipe::resolved_toml(recipe));
}

void tell(const std::vector<std::string>& notices) {
  for (const std::string& notice : notices) log::info(notice);
}

// Changes of a resumed run: what would change its numbers in silence is refused, the rest is said.
void check_changes(const recipe::Recipe& before, const recipe::Recipe& after) {
  std::string refused;
  for (const recipe::Change& change : recipe::diff(before, after)) {
    const std::string text = change.key + ": " +
                             (change.before.empty() ? "(absent)" : change.before) + " -> " +
                             (change.after.empty() ? "(absent)" : change.after);
    if (change.numerics && !change.may_change_on_resume) {
      refused += "\n  " + text;
    } else {
      log::info("resumed with " + text);
    }
  }
  if (refused.empty()) return;
  throw Error(Fault::kUsage, "a resumed run cannot change what its numbers depend on:" + refused +
                                 "\nleave it as it was, or begin a new run with "
                                 "model.weights.path = the checkpoint's model.safetensors");
}

const char* outcome_text(train::Outcome outcome) {
  switch (outcome) {
    case train::Outcome::kDone:
      return "done";
    case train::Outcome::kOutOfTime:
      return "out of time";
    case train::Outcome::kStopped:
      return "stopped";
    case train::Outcome::kAlreadyComplete:
      return "already complete";
  }
  return "";
}

void report(const train::Trainer& trainer, train::Outcome outcome, const recipe::Recipe& recipe,
            bool json) {
  const train::Progress& progress = trainer.progress();
  if (json) {
    nlohmann::json results = nlohmann::json::object();
    for (const auto& [name, value] : trainer.evaluation_results()) results[name] = value;
    std::cout << nlohmann::json{{"outcome", outcome_text(outcome)},
                                {"update", progress.update},
                                {"total_updates", trainer.total_updates()},
                                {"skipped", progress.skipped},
                                {"run_dir", recipe.run.dir.string()},
                                {"results", results}}
                     .dump()
              << std::endl;
    return;
  }
  std::string text = std::string(outcome_text(outcome)) + " at update " +
                     std::to_string(progress.update) + " of " +
                     std::to_string(trainer.total_updates());
  for (const auto& [name, value] : trainer.evaluation_results()) {
    text += ", " + name + " " + format_number(std::round(value * 1e6) / 1e6);
  }
  log::info(text + "; " + recipe.run.dir.string());
}

}  // namespace

recipe::Recipe load_run(const std::filesystem::path& run_dir,
                        const std::vector<std::string>& overrides,
                        const session::Plugins& plugins) {
  for (const std::string& text : overrides) {
    if (text.starts_with("run.dir=") || text.starts_with("+run.dir=")) {
      throw Error(Fault::kUsage,
                  "command line: " + quote(text) +
                      ": a run stays in its folder; move the folder itself, or begin "
                      "another run with hob run RUN/hob.lock.toml run.dir=...");
    }
  }
  const std::filesystem::path dir = std::filesystem::absolute(run_dir);
  const std::filesystem::path lock = dir / train::kLockRecipeName;
  if (!std::filesystem::exists(lock)) {
    throw Error(Fault::kUsage,
                dir.string() + " holds no run: there is no " + train::kLockRecipeName + " in it");
  }
  std::vector<std::string> notices;
  recipe::Recipe recipe = recipe::load_recipe(lock, overrides, plugins.catalogue(), &notices);
  tell(notices);
  recipe.run.dir = dir;  // the folder may have been moved
  return recipe;
}

train::Checkpoint choose_checkpoint(const train::CheckpointStore& store,
                                    const std::optional<std::string>& which,
                                    const recipe::Recipe& recipe) {
  if (!which || *which == "latest") {
    const auto found =
        store.latest_complete([](const train::Checkpoint& bad, const std::string& why) {
          log::warn("checkpoint " + bad.dir.string() + " is damaged: " + why +
                    "; the one before it is used");
        });
    if (!found) {
      throw Error(Fault::kRun, store.dir().string() +
                                   " holds no whole checkpoint; begin the run again with hob run "
                                   "RUN/hob.lock.toml run.dir=...");
    }
    return *found;
  }
  uint64_t update = 0;
  if (*which == "best") {
    const auto best = train::read_best(recipe.run.dir);
    if (!best || best->metric != recipe.checkpoint.best) {
      throw Error(Fault::kUsage,
                  "the run has no best checkpoint: checkpoint.best names no metric, "
                  "or nothing was evaluated yet");
    }
    update = best->update;
  } else if (which->find_first_not_of("0123456789") == std::string::npos && which->size() < 19) {
    update = std::stoull(*which);
  } else {
    throw Error(Fault::kUsage, "--checkpoint " + quote(*which) +
                                   ": expected \"latest\", \"best\" or an update's number");
  }
  store.verify(update);
  return store.at(update);
}

int train_and_report(session::Session& session, train::CheckpointStore& store,
                     const std::optional<train::RunState>& from, bool json) {
  train::Trainer trainer(session, store, from);
  const recipe::Recipe& recipe = session.recipe;
  if (!trainer.is_complete()) {  // a finished run stays as it is
    if (from) log::open_file(recipe.run.dir / kLogName);
    write_lock_file(recipe);
  }
  const train::Outcome outcome = trainer.run();
  const auto exported = recipe.run.dir / "export" / "model.safetensors";
  const bool exports =
      outcome == train::Outcome::kDone ||
      (outcome == train::Outcome::kAlreadyComplete && !std::filesystem::exists(exported));
  if (exports && !recipe.exports.formats.empty()) {
    train::export_model(session, trainer.progress(), exported);
    log::info("exported " + exported.string());
  }
  report(trainer, outcome, recipe, json);
  return outcome == train::Outcome::kStopped ? 128 + train::StopSignal::received() : 0;
}

int run_command(const CommonOptions& common, const std::filesystem::path& path,
                const std::vector<std::string>& overrides) {
  const auto plugins = find_plugins(common);
  std::vector<std::string> notices;
  recipe::Recipe recipe = recipe::load_recipe(path, overrides, plugins->catalogue(), &notices);
  tell(notices);
  const recipe::Lock before = recipe.lock;  // where the recipe is the lock file of another run
  recipe.lock = session::make_lock(recipe, *plugins, HOB_VERSION);
  session::compare_locks(before, recipe.lock);
  const train::RunFolder folder =
      train::RunFolder::open(recipe.run.dir, train::RunFolder::Mode::kNew);
  log::open_file(recipe.run.dir / kLogName);
  session::Session session(recipe, *plugins, /*resumes=*/false);
  train::CheckpointStore store(recipe.run.dir);
  store.recover();
  return train_and_report(session, store, std::nullopt, common.json);
}

int resume_command(const CommonOptions& common, const std::filesystem::path& run_dir,
                   const std::vector<std::string>& overrides) {
  const auto plugins = find_plugins(common);
  const recipe::Recipe before = load_run(run_dir, {}, *plugins);
  recipe::Recipe recipe = load_run(run_dir, overrides, *plugins);
  check_changes(before, recipe);
  recipe.lock = session::make_lock(recipe, *plugins, HOB_VERSION, &before.lock);
  session::compare_locks(before.lock, recipe.lock);
  const train::RunFolder folder =
      train::RunFolder::open(recipe.run.dir, train::RunFolder::Mode::kResume);
  train::CheckpointStore store(recipe.run.dir);
  store.recover();
  const train::Checkpoint checkpoint = choose_checkpoint(store, std::nullopt, recipe);
  // Damaged ones must not count as the newest when older ones are removed.
  for (const uint64_t update : store.list()) {
    if (update > checkpoint.update) store.set_aside(update);
  }
  session::Session session(recipe, *plugins, /*resumes=*/true);
  const train::RunState restored = train::restore(session, checkpoint.dir);
  return train_and_report(session, store, restored, common.json);
}

}  // namespace hob::app
