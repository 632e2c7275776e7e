#include "train/trainer.h"

#include <cmath>

#include "base/error.h"
#include "base/log.h"
#include "session/data.h"
#include "train/stop_signal.h"

namespace hob::train {
namespace {

constexpr uint64_t kMostSkippedInARow = 50;

Length make_length(const session::Session& session, const data::Source& source,
                   const data::Loader& loader, const std::optional<RunState>& from) {
  Length length;
  length.updates_per_epoch = loader.updates_per_epoch();
  length.samples_per_epoch = source.size();
  length.drop_last = session.recipe.loader.drop_last;
  length.batch_size.samples = static_cast<uint64_t>(session.recipe.loader.batch_size);
  if (from && from->batch_size.samples == length.batch_size.samples) {
    length.batch_size = from->batch_size;
  } else if (from) {
    length.batch_size.since_update = from->progress.update;
    length.batch_size.since_position = from->loader.position;
  }
  return length;
}

std::map<std::string, double> as_map(const Scalars& scalars) {
  return {scalars.begin(), scalars.end()};
}

std::optional<Saver::Best> best_of(const session::Session& session,
                                   const std::optional<Evaluation>& evaluation) {
  const recipe::Checkpoint& checkpoint = session.recipe.checkpoint;
  if (checkpoint.best.empty()) return std::nullopt;
  if (!evaluation) {
    throw Error(Fault::kUsage, "checkpoint.best = '" + checkpoint.best +
                                   "' needs an evaluation: add [dataset.eval]");
  }
  const bool higher = evaluation->higher_is_better(checkpoint.best);
  const bool max = checkpoint.mode == recipe::BestMode::kMax ||
                   (checkpoint.mode == recipe::BestMode::kAuto && higher);
  return Saver::Best{checkpoint.best, max ? BestMode::kMax : BestMode::kMin};
}

std::optional<Evaluation> make_evaluation(session::Session& session) {
  if (!session.eval_data) return std::nullopt;
  return std::optional<Evaluation>(std::in_place, session);
}

}  // namespace

Trainer::Trainer(session::Session& session, CheckpointStore& store,
                 const std::optional<RunState>& from)
    : session_(session),
      source_(session::make_source(session.train_data)),
      loader_(
          session::make_train_loader(session, source_, from ? from->loader : data::LoaderState{})),
      forward_(session, source_.fields()),
      updater_(session, forward_),
      evaluation_(make_evaluation(session)),
      length_(make_length(session, source_, *loader_, from)),
      total_updates_(length_.total_updates(session.recipe)),
      epochs_(session.recipe.train.epochs),
      rate_(*session.schedule, session.recipe.schedule, length_, total_updates_),
      bus_(session, total_updates_, length_.total_epochs(total_updates_)),
      evaluate_every_(session.recipe.eval.every, length_, "eval.every"),
      save_every_(session.recipe.checkpoint.every, length_, "checkpoint.every"),
      saver_(store, static_cast<size_t>(session.recipe.checkpoint.keep), session.recipe.run.dir,
             best_of(session, evaluation_)),
      position_(loader_->state()) {
  if (!from) return;
  progress_ = from->progress;
  saved_at_ = progress_.update;
  if (from->results.empty()) return;
  results_ = from->results;
  evaluated_at_ = progress_.update;
  // The run may have been killed between the checkpoint and its entry as the best.
  saver_.remember(as_map(results_), progress_.update);
}

bool Trainer::is_complete() const {
  return progress_.update >= total_updates_ || (epochs_ && progress_.epoch >= *epochs_);
}

Outcome Trainer::run() {
  if (is_complete()) return Outcome::kAlreadyComplete;
  const StopSignal stop_signal;
  const auto& max_time = session_.recipe.train.max_time;
  Outcome outcome = Outcome::kDone;

  bus_.emit(HOB_EVENT_RUN_BEGIN, progress_);
  logged_at_ = {progress_.update, bus_.elapsed_s()};
  const at::Device device = session_.world.device();
  data::Feed feed(*loader_, device, data::copy_stream(device));
  while (!is_complete()) {
    auto step = feed.next();
    if (!step) break;
    if (step->window.range().offset == 0) bus_.emit(HOB_EVENT_EPOCH_BEGIN, progress_);
    train_window(*step);
    after_window(step->window.ends_epoch());
    if (is_complete()) break;  // what comes after the last update comes too late to stop it
    if (StopSignal::received() != 0) {
      outcome = Outcome::kStopped;
      break;
    }
    if (max_time && bus_.elapsed_s() >= max_time->value) {
      outcome = Outcome::kOutOfTime;
      break;
    }
  }
  check_last_loss();
  if (outcome == Outcome::kDone && progress_.update == 0) {
    throw Error(Fault::kRun, "every update was skipped; nothing was learnt");
  }
  if (outcome == Outcome::kOutOfTime && evaluation_ && evaluated_at_ != progress_.update) {
    evaluate();
  }
  if (saved_at_ != progress_.update) save();
  bus_.emit(HOB_EVENT_RUN_END, progress_, results_);
  saver_.finish();
  return outcome;
}

void Trainer::train_window(const data::FeedStep& step) {
  check_last_loss();
  const bool wanted = bus_.wants_scalars(progress_.update + 1);
  const Factors factors{rate_.factor("lr", progress_.update),
                        rate_.factor("weight_decay", progress_.update)};
  const UpdateResult result = updater_.run(step, progress_.update, factors, wanted);
  position_ = step.window.state_after();
  if (result.skipped) {
    note_skipped();
    return;
  }
  skipped_in_a_row_ = 0;
  ++progress_.update;
  progress_.samples += step.window.samples();
  last_loss_.set(result.loss);
  const Scalars scalars = wanted ? read_scalars(result, factors) : Scalars{};
  bus_.emit(HOB_EVENT_UPDATE_END, progress_, scalars);
}

void Trainer::note_skipped() {
  ++progress_.skipped;
  log::warn("update " + std::to_string(progress_.update + 1) +
            " was skipped: its loss or gradient is not finite, or its targets have no weight "
            "(skipped " +
            std::to_string(progress_.skipped) + " so far)");
  if (++skipped_in_a_row_ < kMostSkippedInARow) return;
  throw Error(Fault::kRun, std::to_string(skipped_in_a_row_) +
                               " updates in a row were skipped; nothing is learnt any more. Lower "
                               "optimizer.lr, set train.clip_norm, or look at the data");
}

void Trainer::check_last_loss() {
  const std::optional<double> loss = last_loss_.take();
  if (!loss || std::isfinite(*loss)) return;
  throw Error(Fault::kRun,
              "the loss of update " + std::to_string(progress_.update) + " is " +
                  (std::isnan(*loss) ? "not a number" : "infinite") +
                  "; no checkpoint was written since. Lower optimizer.lr or set train.clip_norm");
}

Scalars Trainer::read_scalars(const UpdateResult& result, const Factors& factors) {
  Scalars scalars{{"loss", result.loss.item<double>()},  // sync: a logging point
                  {"lr", session_.optimizer->lr(factors.lr)}};
  if (result.grad_norm) scalars.emplace_back("grad_norm", result.grad_norm->item<double>());
  // Since the last logging point, device included: its work is done when the loss has been read.
  const double now_s = bus_.elapsed_s();
  const uint64_t updates = progress_.update - logged_at_.update;
  scalars.emplace_back("update_s", (now_s - logged_at_.elapsed_s) / static_cast<double>(updates));
  logged_at_ = {progress_.update, now_s};
  scalars.emplace_back("loader_wait_s", loader_->wait_seconds());
  return scalars;
}

void Trainer::after_window(bool epoch_ended) {
  std::optional<uint64_t> epochs_completed;
  if (epoch_ended) epochs_completed = ++progress_.epoch;
  if (progress_.update == 0) return;  // so far all were skipped: nothing to evaluate or to save
  const double now_s = bus_.elapsed_s();
  // A skipped update leaves the count where it was: what was done for it is not done again.
  const bool evaluates =
      evaluation_ && evaluated_at_ != progress_.update &&
      (evaluate_every_.due(progress_.update, epochs_completed, now_s) || is_complete());
  if (evaluates) evaluate();
  if (epoch_ended) bus_.emit(HOB_EVENT_EPOCH_END, progress_);
  // Last, so that a resumed run finds what every listener made of this update.
  const bool saves =
      saved_at_ != progress_.update && save_every_.due(progress_.update, epochs_completed, now_s);
  if (saves || (evaluates && saver_.would_be_best(as_map(results_)))) save();
}

void Trainer::evaluate() {
  bus_.emit(HOB_EVENT_EVAL_BEGIN, progress_);
  results_ = evaluation_->run();
  evaluated_at_ = progress_.update;
  bus_.emit(HOB_EVENT_EVAL_END, progress_, results_);
}

void Trainer::save() {
  check_last_loss();
  RunState state{progress_, position_, length_.batch_size, {}};
  if (evaluated_at_ == progress_.update) state.results = results_;
  saver_.save(capture(session_, state), as_map(state.results));
  saved_at_ = progress_.update;
}

}  // namespace hob::train
