#include "session/data.h"

#include "data/torch/feed.h"
#include "session/forward.h"

namespace hob::session {
namespace {

std::string full_name(const host::Instance& instance) {
  return instance.name() + " (" + instance.component() + ")";
}

data::PluginError translate(hob_error* error) {
  const int32_t code = error->code;
  return {code, host::take_error(error)};
}

data::ObjectiveInstance objective_of(const Session& session) {
  data::ObjectiveInstance result{&session.objective->table<hob_objective>(),
                                 session.objective->self(),
                                 full_name(*session.objective),
                                 {}};
  for (const hob_term& term : objective_terms(*session.objective)) {
    result.terms.emplace_back(term.name);
  }
  return result;
}

data::LoaderOptions shared_options(const Session& session) {
  const recipe::Loader& loader = session.recipe.loader;
  data::LoaderOptions options;
  options.threads = static_cast<uint64_t>(loader.threads);
  options.prefetch = static_cast<uint64_t>(loader.prefetch);
  options.seed = static_cast<uint64_t>(session.recipe.run.seed);
  options.bad_limit = static_cast<uint64_t>(loader.bad_sample_limit);
  options.windows_out = data::Feed::windows_out(session.world.device());
  return options;
}

}  // namespace

data::Source make_source(const DataPart& part) {
  std::vector<data::TransformInstance> transforms;
  for (const auto& t : part.transforms) {
    transforms.push_back({&t->table<hob_transform>(), t->self(), t->seed(), full_name(*t)});
  }
  return data::Source(
      {&part.dataset->table<hob_dataset>(), part.dataset->self(), full_name(*part.dataset)},
      std::move(transforms), translate);
}

std::unique_ptr<data::Loader> make_train_loader(const Session& session, const data::Source& source,
                                                data::LoaderState start) {
  const recipe::Loader& loader = session.recipe.loader;
  data::LoaderOptions options = shared_options(session);
  options.batch_size = static_cast<uint64_t>(loader.batch_size);
  options.micro_batch = static_cast<uint64_t>(
      loader.micro_batch.is_auto() ? loader.batch_size : loader.micro_batch.value);
  options.shuffle = loader.shuffle;
  options.drop_last = loader.drop_last;
  options.epochs = static_cast<uint64_t>(session.recipe.train.epochs.value_or(0));
  options.on_bad = loader.on_bad_sample == recipe::OnBadSample::kSkip ? data::OnBad::kReplace
                                                                      : data::OnBad::kFail;
  return std::make_unique<data::Loader>(source, options, objective_of(session),
                                        data::slot_memory(session.world.device()),
                                        std::move(start));
}

std::unique_ptr<data::Loader> make_eval_loader(const Session& session, const data::Source& source) {
  data::LoaderOptions options = shared_options(session);
  options.batch_size = static_cast<uint64_t>(session.recipe.eval.batch_size);
  options.micro_batch = options.batch_size;
  options.shuffle = false;
  options.epochs = 1;
  options.on_bad = session.recipe.loader.on_bad_sample == recipe::OnBadSample::kSkip
                       ? data::OnBad::kLeaveOut
                       : data::OnBad::kFail;
  return std::make_unique<data::Loader>(source, options, objective_of(session),
                                        data::slot_memory(session.world.device()));
}

}  // namespace hob::session
