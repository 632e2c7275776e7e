#include "base/text.h"
#include "session/verify/stage.h"
#include "session/verify/test.h"

// Callbacks and monitors, played the events of a short run.

namespace hob::session::verify {
namespace {

constexpr uint64_t kEnd = Events::kUpdates;
constexpr uint64_t kMiddle = Events::kEpochUpdates;

void bears_a_whole_run(Bench& bench) {
  Stage stage(bench);
  Events(bench, stage, bench.make_folder()).play(0, kEnd);
}

// Callbacks

bool is_begin_of_a_swap(hob_event_kind kind) {
  return kind == HOB_EVENT_EVAL_BEGIN || kind == HOB_EVENT_EXPORT_BEGIN;
}
bool is_end_of_a_swap(hob_event_kind kind) {
  return kind == HOB_EVENT_EVAL_END || kind == HOB_EVENT_EXPORT_END;
}

// Callbacks change parameters at the end of an update, and put others in place for the time of an
// evaluation or an export.
void changes_parameters_where_it_may(Bench& bench) {
  Stage stage(bench);
  Snapshot before_swap;
  const auto around = [&](hob_event_kind kind, const std::function<void()>& deliver) {
    const Snapshot before = snapshot(stage.world);
    deliver();
    if (kind == HOB_EVENT_UPDATE_END) return;
    if (is_begin_of_a_swap(kind)) {
      before_swap = before;
      return;
    }
    const bool ends = is_end_of_a_swap(kind);
    const std::string changed =
        first_difference(ends ? before_swap : before, snapshot(stage.world));
    expect(changed.empty(),
           ends
               ? "after an evaluation or an export " + quote(changed) + " is not what it was before"
               : "it changed " + quote(changed) + " in an event in which it may not (" +
                     std::to_string(kind) + ")");
  };
  Events(bench, stage, bench.make_folder()).play(0, kEnd, around);
}

void callback_resume_is_bitwise(Bench& bench) {
  const std::filesystem::path folder = bench.make_folder();
  Stage whole(bench), first(bench), second(bench);
  Events(bench, whole, bench.make_folder()).play(0, kEnd);
  Events(bench, first, folder).play(0, kMiddle);
  const host::State saved = copy_of(first.instance->save());
  put_back(snapshot(first.world), second.world);
  bench.watch("load", [&] { second.instance->load(saved); });
  Events(bench, second, folder).play(kMiddle, kEnd);
  const std::string param = first_difference(snapshot(whole.world), snapshot(second.world));
  expect(param.empty(),
         "a run that was stopped in its middle and resumed ends with another " + quote(param));
  const std::string state =
      first_difference(copy_of(whole.instance->save()), second.instance->save());
  expect(
      state.empty(),
      "a run that was stopped in its middle and resumed ends with another state " + quote(state));
}

// Monitors

// All of a cell that a monitor could reach.
struct Cell {
  uint32_t flags, role;
  uint64_t generation;
  const void* memory;
  bool requires_grad;
  bool has_gradient;

  bool operator==(const Cell&) const = default;
};

std::map<std::string, Cell> cells(host::World& world) {
  std::map<std::string, Cell> result;
  for (const host::Param& param : world.params()) {
    result[param.full_name] = {param.flags,
                               param.role,
                               param.generation,
                               param.tensor.data_ptr(),
                               param.tensor.requires_grad(),
                               param.tensor.grad().defined()};
  }
  return result;
}

void changes_nothing(Bench& bench) {
  Stage stage(bench);
  const std::map<std::string, Cell> before = cells(stage.world);
  const auto around = [&](hob_event_kind, const std::function<void()>& deliver) {
    const Snapshot values = snapshot(stage.world);
    deliver();
    const std::string changed = first_difference(values, snapshot(stage.world));
    expect(changed.empty(), "it changed " + quote(changed) + ", and monitors change nothing");
  };
  Events(bench, stage, bench.make_folder()).play(0, kEnd, around);
  expect(before == cells(stage.world),
         "a parameter was replaced, frozen or given a gradient, and monitors change nothing");
  for (const host::Socket& socket : stage.world.sockets()) {
    expect(socket.links.empty(), "it installed a link on the layer " + quote(socket.full_name) +
                                     ", and monitors change nothing");
  }
}

void bears_a_resumed_run(Bench& bench) {
  const std::filesystem::path folder = bench.make_folder();
  {
    Stage first(bench);
    Events(bench, first, folder).play(0, kMiddle);
  }
  Stage second(bench);
  Events(bench, second, folder).play(kMiddle, kEnd);
}

}  // namespace

std::vector<Test> callback_tests() {
  return {{"callback.bears_a_whole_run", "callback", bears_a_whole_run},
          {"callback.changes_parameters_where_it_may", "callback", changes_parameters_where_it_may},
          {"callback.resume_is_bitwise", "callback", callback_resume_is_bitwise}};
}

std::vector<Test> monitor_tests() {
  return {{"monitor.bears_a_whole_run", "monitor", bears_a_whole_run},
          {"monitor.bears_a_resumed_run", "monitor", bears_a_resumed_run},
          {"monitor.changes_nothing", "monitor", changes_nothing}};
}

}  // namespace hob::session::verify
