#pragma once

#include <memory>

#include "data/loader.h"
#include "session/session.h"

namespace hob::session {

// A data part as the loader reads it. The session outlives it.
data::Source make_source(const DataPart& part);

// The loader of training, from `start` on.
std::unique_ptr<data::Loader> make_train_loader(const Session& session, const data::Source& source,
                                                data::LoaderState start);
// The loader of one evaluation after another: in order, every sample once.
std::unique_ptr<data::Loader> make_eval_loader(const Session& session, const data::Source& source);

}  // namespace hob::session
