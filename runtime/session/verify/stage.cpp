#include "session/verify/stage.h"

#include <ATen/CPUGeneratorImpl.h>
#include <ATen/TensorOperators.h>
#include <ATen/core/grad_mode.h>
#include <ATen/ops/empty_like.h>
#include <hob/abi/callback.h>
#include <hob/abi/compression.h>
#include <hob/abi/memory.h>
#include <hob/abi/monitor.h>

#include <limits>

#include "session/verify/test.h"

namespace hob::session::verify {
namespace {

bool acts_on_a_model(const std::string& kind) {
  return kind == "compression" || kind == "memory" || kind == "callback" || kind == "monitor";
}

void attach(const Bench& bench, const host::Instance& instance) {
  const std::string& kind = bench.schema().kind;
  bench.watch("attach", [&] {
    if (kind == "compression") instance.call(&hob_compression::attach);
    if (kind == "memory") instance.call(&hob_memory::attach);
    if (kind == "callback") instance.call(&hob_callback::attach);
  });
}

}  // namespace

Stage::Stage(Bench& bench, const recipe::Params* params) {
  if (acts_on_a_model(bench.schema().kind)) model.emplace(world, bench.seed());
  instance = params ? bench.make(*params, world) : bench.make(world);
  attach(bench, *instance);
}

Events::Events(Bench& bench, Stage& stage, std::filesystem::path run_dir)
    : bench_(bench), stage_(stage), run_dir_(run_dir.string()) {
  interest_ = {.struct_size = sizeof(hob_interest),
               .events = 0,
               .period = 1,
               .wants_scalars = 0,
               .reserved = 0};
  bench.watch("interest", [&] {
    if (bench.schema().kind == "callback") {
      stage.instance->call(&hob_callback::interest, &interest_);
    } else {
      stage.instance->call(&hob_monitor::interest, &interest_);
    }
  });
  constexpr uint32_t kAll = 2 * HOB_EVENT_EXPORT_END - 1;
  expect((interest_.events & ~kAll) == 0, "interest asks for events that there are none of");
  expect(interest_.period > 0, "interest asks for a period of 0 updates");
}

bool Events::is_due(hob_event_kind kind, uint64_t update) const {
  if (!(interest_.events & kind)) return false;
  return kind != HOB_EVENT_UPDATE_END || update % interest_.period == 0 || update == kUpdates;
}

void Events::deliver(hob_event_kind kind, uint64_t update) {
  // One number is none, as after a division by zero: who shows it must bear it.
  const hob_scalar scalars[] = {
      {"loss", 2.5 / static_cast<double>(update + 1)},
      {"lr", 1e-3},
      {"grad_norm", update == 3 ? std::numeric_limits<double>::quiet_NaN() : 0.7},
      {"accuracy", update == 3 ? std::numeric_limits<double>::infinity() : 0.1}};
  const bool with_scalars =
      kind == HOB_EVENT_EVAL_END || (kind == HOB_EVENT_UPDATE_END && interest_.wants_scalars != 0);
  hob_event event{};
  event.struct_size = sizeof(hob_event);
  event.kind = kind;
  event.update = update;
  event.total_updates = kUpdates;
  event.epoch = update / kEpochUpdates;
  event.total_epochs = kUpdates / kEpochUpdates;
  event.samples = 4 * update;
  event.elapsed_s = 0.25 * static_cast<double>(update);
  event.scalars = scalars;
  event.n_scalars = with_scalars ? 4 : 0;
  event.run_name = "verify";
  event.run_dir = run_dir_.c_str();
  bench_.watch("on_event", [&] {
    if (bench_.schema().kind == "callback") {
      stage_.instance->call(&hob_callback::on_event, &event);
    } else {
      stage_.instance->call(&hob_monitor::on_event, &event);
    }
  });
}

void Events::change_params(uint64_t update) {
  const at::NoGradGuard no_grad;
  const at::Generator generator = at::detail::createCPUGenerator(bench_.seed() + update);
  for (host::Param& param : stage_.world.params()) {
    if (!param.is_trainable()) continue;
    param.tensor.add_(at::empty_like(param.tensor).normal_(0, 0.1, generator));
  }
}

void Events::play(uint64_t from, uint64_t to, const Around& around) {
  const auto emit = [&](hob_event_kind kind, uint64_t update) {
    around(kind, [&] {
      if (is_due(kind, update)) deliver(kind, update);
    });
  };
  emit(HOB_EVENT_RUN_BEGIN, from);
  for (uint64_t update = from; update < to;) {
    if (update % kEpochUpdates == 0) emit(HOB_EVENT_EPOCH_BEGIN, update);
    change_params(++update);
    emit(HOB_EVENT_UPDATE_END, update);
    if (update % kEpochUpdates != 0) continue;
    emit(HOB_EVENT_EVAL_BEGIN, update);
    emit(HOB_EVENT_EVAL_END, update);
    emit(HOB_EVENT_EPOCH_END, update);
  }
  if (to != kUpdates) return;
  emit(HOB_EVENT_RUN_END, to);
  emit(HOB_EVENT_EXPORT_BEGIN, to);
  emit(HOB_EVENT_EXPORT_END, to);
}

void exercise(Bench& bench, Stage& stage) {
  const std::string& kind = bench.schema().kind;
  if (kind == "callback" || kind == "monitor") {
    Events(bench, stage, bench.make_folder()).play(0, Events::kEpochUpdates);
  } else if (kind == "compression" || kind == "memory") {
    stage.model->gradients(bench.randn({4, 3, 6, 6}),
                           bench.random_labels({4}, ReferenceModel::kClasses));
  }
}

}  // namespace hob::session::verify
