#pragma once

#include <memory>

#include "data/loader.h"
#include "data/torch/feed.h"
#include "session/forward.h"
#include "session/session.h"
#include "train/event_bus.h"

namespace hob::train {

// Evaluates the model on the recipe's [dataset.eval]: exact over batches of any size. Leaves the
// random generators and the mode as they were.
class Evaluation {
 public:
  explicit Evaluation(session::Session& session);

  // "loss" and each metric's results, by name. Throws Error where there is no data to evaluate on.
  Scalars run();

  // For checkpoint.best: whether a higher value of this result is better. Throws Error (usage) that
  // lists the names where there is none of that name.
  bool higher_is_better(const std::string& result) const;

 private:
  struct Result {
    std::string name;
    bool higher_is_better = false;
  };

  session::Session& session_;
  data::Source source_;
  std::unique_ptr<data::Loader> loader_;
  session::Forward forward_;
  std::optional<c10::Stream> copies_ = data::copy_stream(session_.world.device());
  std::vector<std::vector<Result>> results_;  // of each metric
};

}  // namespace hob::train
