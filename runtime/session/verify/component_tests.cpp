#include <hob/abi/types.h>

#include "base/text.h"
#include "recipe/toml_text.h"
#include "session/verify/param_values.h"
#include "session/verify/stage.h"
#include "session/verify/suite.h"
#include "session/verify/test.h"

// What holds for components of every kind.

namespace hob::session::verify {
namespace {

// Two at a time, so that one does not live off what another left in the plugin's globals.
void creates(Bench& bench) {
  std::optional<Stage> first(std::in_place, bench);
  Stage second(bench);
  bench.watch("destroy", [&] { first.reset(); });
  exercise(bench, second);
  bench.watch("destroy", [&] { second.instance.reset(); });
}

recipe::Params with(const recipe::Params& usual, const std::string& name,
                    const recipe::Value& value) {
  recipe::Params params = usual;
  for (auto& [key, slot] : params) {
    if (key == name) slot = value;
  }
  return params;
}

const recipe::Value& usual_value(const Bench& bench, const recipe::ParamSchema& param) {
  return bench.component().param(param.name);
}

std::string shown(const recipe::ParamSchema& param, const recipe::Value& value) {
  std::string text = recipe::toml_value(value);
  if (text.size() > 60) text = text.substr(0, 57) + "...";
  return param.name + " = " + text;
}

// Bounds are a promise to users: a value within them works, or together with the other values is
// refused as wrong (HOB_ERROR_INVALID).
void takes_values_at_bounds(Bench& bench) {
  int tried = 0;
  for (const recipe::ParamSchema& param : bench.schema().params) {
    const recipe::Value& usual = usual_value(bench, param);
    for (const recipe::Value& value : values_at_bounds(param, usual)) {
      ++tried;
      try {
        const Stage stage(bench, with(bench.component().params, param.name, value));
      } catch (const host::PluginError& error) {
        const bool refused = error.code() == HOB_ERROR_INVALID;
        expect(refused, shown(param, value) +
                            ", which the descriptor allows, fails: " + error.what() +
                            ". Narrow the range, or refuse the value with " + "HOB_ERROR_INVALID");
        bench.note("refuses " + shown(param, value));
      }
    }
  }
  bench.note(std::to_string(tried) + " values");
}

// Far out an error of any kind will do.
void survives_far_values(Bench& bench) {
  int tried = 0, refused = 0;
  for (const recipe::ParamSchema& param : bench.schema().params) {
    const recipe::Value& usual = usual_value(bench, param);
    for (const recipe::Value& value : far_values(param, usual)) {
      ++tried;
      try {
        const Stage stage(bench, with(bench.component().params, param.name, value));
      } catch (const host::PluginError&) {
        ++refused;
      }
    }
  }
  bench.note(std::to_string(tried) + " values, " + std::to_string(refused) + " refused");
}

void state_round_trip(Bench& bench) {
  Stage first(bench);
  exercise(bench, first);
  host::State saved;
  bench.watch("save", [&] { saved = copy_of(first.instance->save()); });
  if (saved.version == 0) throw Skip("it saves no state");
  const std::string unstable = first_difference(saved, first.instance->save());
  expect(unstable.empty(), "saved twice in a row, " + quote(unstable) + " differs");

  Stage second(bench);
  bench.watch("load", [&] { second.instance->load(saved); });
  const host::State again = second.instance->save();
  const std::string different = first_difference(saved, again);
  expect(different.empty(), "saved, loaded into a new instance and saved again, " +
                                quote(different) + " is not what it was");
}

// A state that was damaged on the disk is refused or read, and does no harm otherwise.
void survives_a_damaged_state(Bench& bench) {
  Stage first(bench);
  exercise(bench, first);
  const host::State whole = copy_of(first.instance->save());
  if (whole.version == 0) throw Skip("it saves no state");
  std::vector<host::State> damaged(1, whole);
  damaged[0].tensors.clear();
  damaged[0].values.clear();
  for (const auto& [name, tensor] : whole.tensors) {
    damaged.push_back(whole);
    damaged.back().tensors.erase(name);
    damaged.push_back(whole);
    damaged.back().tensors[name] = bench.randn({3, 1, 2});
  }
  for (const auto& [name, value] : whole.values) {
    damaged.push_back(whole);
    damaged.back().values.erase(name);
    damaged.push_back(whole);
    damaged.back().values[name] = std::string("damaged");
  }
  int refused = 0;
  for (const host::State& state : damaged) {
    Stage stage(bench);
    try {
      stage.instance->load(state);
    } catch (const host::PluginError&) {
      ++refused;
    }
  }
  bench.note(std::to_string(refused) + " of " + std::to_string(damaged.size()) + " refused");
}

}  // namespace

std::vector<Test> component_tests() {
  return {{kCreates, "", creates},
          {"component.takes_values_at_bounds", "", takes_values_at_bounds},
          {"component.survives_far_values", "", survives_far_values},
          {"component.state_round_trip", "", state_round_trip},
          {"component.survives_a_damaged_state", "", survives_a_damaged_state}};
}

}  // namespace hob::session::verify
