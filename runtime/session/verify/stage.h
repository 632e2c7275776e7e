#pragma once

#include <hob/abi/events.h>

#include <memory>
#include <optional>

#include "session/verify/bench.h"
#include "session/verify/reference_model.h"

namespace hob::session::verify {

// An instance in a small run of the suite's own: what acts on a model finds the reference model
// there, and is attached to it.
struct Stage {
  explicit Stage(Bench& bench) : Stage(bench, nullptr) {}
  Stage(Bench& bench, const recipe::Params& params) : Stage(bench, &params) {}

  host::World world{at::kCPU};
  std::optional<ReferenceModel> model;
  std::unique_ptr<host::Instance> instance;  // gone before the world

 private:
  Stage(Bench& bench, const recipe::Params* params);
};

// What a run hands to a callback or a monitor, as its interest says.
class Events {
 public:
  static constexpr uint64_t kUpdates = 12;  // of the whole run
  static constexpr uint64_t kEpochUpdates = 6;

  // `run_dir` is the folder that the run would have.
  Events(Bench& bench, Stage& stage, std::filesystem::path run_dir);

  // Called for each event of the run with what hands it over, which does nothing where the instance
  // does not want it.
  using Around = std::function<void(hob_event_kind kind, const std::function<void()>& deliver)>;

  // The events of the updates after `from` up to `to`, from RUN_BEGIN on, with the run's end where
  // it is reached. The parameters change between them as by an optimizer: the same way each time.
  void play(uint64_t from, uint64_t to, const Around& around = deliver_plainly);

 private:
  static void deliver_plainly(hob_event_kind, const std::function<void()>& deliver) { deliver(); }

  bool is_due(hob_event_kind kind, uint64_t update) const;
  void deliver(hob_event_kind kind, uint64_t update);
  void change_params(uint64_t update);

  Bench& bench_;
  Stage& stage_;
  std::string run_dir_;
  hob_interest interest_;
};

// Lets an instance work for a while, so that it has a state worth saving.
void exercise(Bench& bench, Stage& stage);

}  // namespace hob::session::verify
