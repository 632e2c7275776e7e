#include "train/event_bus.h"

#include <hob/abi/callback.h>
#include <hob/abi/monitor.h>

#include <algorithm>

#include "base/log.h"

namespace hob::train {
namespace {

hob_interest empty_interest() {
  hob_interest interest{};
  interest.struct_size = sizeof(hob_interest);
  interest.period = 1;
  return interest;
}

bool is_end(hob_event_kind kind) {
  constexpr uint32_t ends = HOB_EVENT_UPDATE_END | HOB_EVENT_EVAL_END | HOB_EVENT_EPOCH_END |
                            HOB_EVENT_RUN_END | HOB_EVENT_EXPORT_END;
  return (kind & ends) != 0;
}

}  // namespace

EventBus::EventBus(session::Session& session, uint64_t total_updates, uint64_t total_epochs)
    : total_updates_(total_updates),
      total_epochs_(total_epochs),
      run_name_(session.recipe.run.name),
      run_dir_(session.recipe.run.dir.string()) {
  for (const auto& callback : session.callbacks) {
    Listener& added = listeners_.emplace_back(Listener{callback.get(), true, empty_interest()});
    callback->call(&hob_callback::interest, &added.interest);
  }
  for (const auto& monitor : session.monitors) {
    Listener& added = listeners_.emplace_back(Listener{monitor.get(), false, empty_interest()});
    monitor->call(&hob_monitor::interest, &added.interest);
  }
  for (Listener& listener : listeners_) {
    listener.interest.period = std::max<uint64_t>(1, listener.interest.period);
  }
}

bool EventBus::is_due(const Listener& listener, hob_event_kind kind, uint64_t update) const {
  if (!(listener.interest.events & kind)) return false;
  return kind != HOB_EVENT_UPDATE_END || update % listener.interest.period == 0 ||
         update == total_updates_;
}

bool EventBus::wants_scalars(uint64_t update) const {
  return std::any_of(listeners_.begin(), listeners_.end(), [&](const Listener& l) {
    return l.interest.wants_scalars && is_due(l, HOB_EVENT_UPDATE_END, update);
  });
}

void EventBus::emit(hob_event_kind kind, const Progress& progress, const Scalars& scalars) {
  std::vector<hob_scalar> values;
  values.reserve(scalars.size());
  for (const auto& [name, value] : scalars) values.push_back({name.c_str(), value});
  hob_event event{};
  event.struct_size = sizeof(hob_event);
  event.kind = kind;
  event.update = progress.update;
  event.total_updates = total_updates_;
  event.epoch = progress.epoch;
  event.total_epochs = total_epochs_;
  event.samples = progress.samples;
  event.elapsed_s = elapsed_s();
  event.scalars = values.data();
  event.n_scalars = static_cast<uint32_t>(values.size());
  event.run_name = run_name_.c_str();
  event.run_dir = run_dir_.c_str();

  const auto monitors = std::find_if(listeners_.begin(), listeners_.end(),
                                     [](const Listener& l) { return !l.is_callback; });
  const auto deliver_if_due = [&](const Listener& l) {
    if (is_due(l, kind, progress.update)) deliver(l, event);
  };
  if (is_end(kind)) {
    std::for_each(std::make_reverse_iterator(monitors), listeners_.rend(), deliver_if_due);
  } else {
    std::for_each(listeners_.begin(), monitors, deliver_if_due);
  }
  std::for_each(monitors, listeners_.end(), deliver_if_due);
}

void EventBus::deliver(const Listener& listener, const hob_event& event) {
  if (listener.is_callback) {
    listener.instance->call(&hob_callback::on_event, &event);
    return;
  }
  if (silenced_.contains(listener.instance)) return;
  try {
    listener.instance->call(&hob_monitor::on_event, &event);
  } catch (const Error& error) {
    log::warn(std::string(error.what()) + "; this monitor is left out from here on");
    silenced_.insert(listener.instance);
  }
}

double EventBus::elapsed_s() const {
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start_).count();
}

}  // namespace hob::train
