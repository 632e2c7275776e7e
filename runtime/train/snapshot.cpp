#include "train/snapshot.h"

#include <ATen/Context.h>
#include <ATen/Parallel.h>
#include <ATen/Version.h>
#include <ATen/core/grad_mode.h>
#include <ATen/ops/isfinite.h>

#include "base/error.h"
#include "base/log.h"
#include "session/weights.h"
#include "train/random_state.h"

namespace hob::train {
namespace {

constexpr const char* kModelFile = "model.safetensors";
constexpr const char* kOptimizerFile = "optimizer.safetensors";
constexpr const char* kStateFile = "state.safetensors";
constexpr const char* kValuesFile = "state.json";

at::Tensor host_copy(const at::Tensor& tensor) {
  const at::Tensor detached = tensor.detach();
  return detached.is_cpu() ? detached.clone() : detached.cpu();
}

void check_finite(const data::NamedTensors& model, uint64_t update) {
  for (const auto& [name, tensor] : model) {
    if (!tensor.is_floating_point() || at::isfinite(tensor).all().item<bool>()) continue;
    throw Error(Fault::kRun, "the weights '" + name + "' are not finite after update " +
                                 std::to_string(update) +
                                 "; no checkpoint was written, the ones before stay. Lower "
                                 "optimizer.lr, or set train.clip_norm");
  }
}

// State of one instance under its name: tensors to `tensors`, the rest to `values`.
void put_state(const host::State& state, const std::string& name, data::NamedTensors& tensors,
               StateDoc& values) {
  if (state.version == 0) return;
  const std::string prefix = name + "/";
  values[prefix + "version"] = static_cast<int64_t>(state.version);
  for (const auto& [key, tensor] : state.tensors) tensors[prefix + "t/" + key] = host_copy(tensor);
  for (const auto& [key, value] : state.values) {
    std::visit([&](const auto& v) { values[prefix + "v/" + key] = v; }, value);
  }
}

host::State::Value instance_value(const StateValue& value, const std::string& key) {
  return std::visit(
      [&](const auto& v) -> host::State::Value {
        using T = std::decay_t<decltype(v)>;
        if constexpr (std::is_constructible_v<host::State::Value, T> &&
                      !std::is_same_v<T, uint64_t>) {
          return v;
        } else {
          throw Error(Fault::kRun, "state.json: '" + key + "' has a type that no component writes");
        }
      },
      value);
}

host::State get_state(const std::string& name, const data::NamedTensors& tensors,
                      const StateDoc& values) {
  host::State state;
  const std::string prefix = name + "/";
  const auto version = values.find(prefix + "version");
  if (version == values.end()) return state;
  state.version = static_cast<uint32_t>(state_value<int64_t>(values, prefix + "version"));
  const std::string tensor_prefix = prefix + "t/";
  for (auto it = tensors.lower_bound(tensor_prefix);
       it != tensors.end() && it->first.starts_with(tensor_prefix); ++it) {
    state.tensors[it->first.substr(tensor_prefix.size())] = it->second;
  }
  const std::string value_prefix = prefix + "v/";
  for (auto it = values.lower_bound(value_prefix);
       it != values.end() && it->first.starts_with(value_prefix); ++it) {
    state.values.emplace(it->first.substr(value_prefix.size()),
                         instance_value(it->second, it->first));
  }
  return state;
}

void put_run(const RunState& run, StateDoc& values) {
  values["run/update"] = run.progress.update;
  values["run/epoch"] = run.progress.epoch;
  values["run/samples"] = run.progress.samples;
  values["run/skipped"] = run.progress.skipped;
  values["loader/position"] = run.loader.position;
  values["loader/size"] = run.loader.size;
  values["loader/skipped"] = run.loader.skipped;
  values["batch_size/samples"] = run.batch_size.samples;
  values["batch_size/since_update"] = run.batch_size.since_update;
  values["batch_size/since_position"] = run.batch_size.since_position;
  std::vector<std::string> names;
  std::vector<double> results;
  for (const auto& [name, value] : run.results) {
    names.push_back(name);
    results.push_back(value);
  }
  values["results/names"] = names;
  values["results/values"] = results;
}

RunState get_run(const StateDoc& values, const std::filesystem::path& file) {
  const auto number = [&](const char* key) { return state_value<uint64_t>(values, key); };
  RunState run;
  run.progress = {number("run/update"), number("run/epoch"), number("run/samples"),
                  number("run/skipped")};
  run.loader = {number("loader/position"), number("loader/size"),
                state_value<std::vector<uint64_t>>(values, "loader/skipped")};
  run.batch_size = {number("batch_size/samples"), number("batch_size/since_update"),
                    number("batch_size/since_position")};
  const auto& names = state_value<std::vector<std::string>>(values, "results/names");
  const auto& results = state_value<std::vector<double>>(values, "results/values");
  if (names.size() != results.size()) {
    throw Error(Fault::kRun, file.string() + ": " + std::to_string(names.size()) +
                                 " names of results for " + std::to_string(results.size()) +
                                 " values");
  }
  for (size_t i = 0; i < names.size(); ++i) run.results.emplace_back(names[i], results[i]);
  return run;
}

// Results are the same bits only for the same number of threads and the same instructions.
void note_machine(StateDoc& values, at::Device device) {
  values["machine/threads"] = static_cast<int64_t>(at::get_num_threads());
  values["machine/cpu"] = at::get_cpu_capability();
  values["machine/device"] = std::string(c10::DeviceTypeName(device.type()));
}

void compare_machine(const StateDoc& values, at::Device device) {
  StateDoc here;
  note_machine(here, device);
  for (const auto& [key, value] : here) {
    const auto found = values.find(key);
    if (found != values.end() && found->second != value) {
      log::warn("the checkpoint was written with another " + key.substr(key.find('/') + 1) +
                " (compute threads, CPU instructions or kind of device): the run goes on, but not "
                "bitwise as it "
                "would have there");
    }
  }
}

}  // namespace

std::vector<CheckpointFile> Snapshot::files() const {
  return {
      {kModelFile, [this](const auto& path) { data::write_tensors(path, model, {}, aliases); }},
      {kOptimizerFile, [this](const auto& path) { data::write_tensors(path, optimizer); }},
      {kStateFile, [this](const auto& path) { data::write_tensors(path, state); }},
      {kValuesFile, [this](const auto& path) { write_state(path, values); }},
  };
}

Snapshot capture(session::Session& session, const RunState& run) {
  const at::NoGradGuard no_grad;
  Snapshot snapshot;
  snapshot.update = run.progress.update;
  session::ModelWeights weights = session::collect_weights(session.world, /*copy=*/true);
  snapshot.model = std::move(weights.tensors);
  snapshot.aliases = std::move(weights.aliases);
  check_finite(snapshot.model, run.progress.update);

  const host::State optimizer = session.optimizer->save();
  for (const auto& [key, tensor] : optimizer.tensors) snapshot.optimizer[key] = host_copy(tensor);
  host::State optimizer_values = optimizer;
  optimizer_values.tensors.clear();
  optimizer_values.version = std::max(optimizer.version, 1u);
  put_state(optimizer_values, "optimizer", snapshot.state, snapshot.values);
  for (const host::Instance* instance : session.instances()) {
    put_state(instance->save(), instance->name(), snapshot.state, snapshot.values);
  }

  const RandomState random = RandomState::capture(session.world.device());
  snapshot.state["random/cpu"] = random.cpu;
  if (random.cuda.defined()) snapshot.state["random/cuda"] = random.cuda;
  put_run(run, snapshot.values);
  note_machine(snapshot.values, session.world.device());
  return snapshot;
}

RunState restore(session::Session& session, const std::filesystem::path& checkpoint) {
  session::load_model_weights(checkpoint / kModelFile, {}, session.world);
  const data::NamedTensors tensors = data::read_tensors(checkpoint / kStateFile);
  const StateDoc values = read_state(checkpoint / kValuesFile);
  if (!values.contains("run/update") || !values.contains("batch_size/samples")) {
    throw Error(Fault::kRun,
                (checkpoint / kValuesFile).string() +
                    " is not of this hob's form: another version wrote it. Begin a new "
                    "run with model.weights.path = its model.safetensors");
  }

  host::State optimizer = get_state("optimizer", {}, values);
  optimizer.tensors = data::read_tensors(checkpoint / kOptimizerFile);
  session.optimizer->load(optimizer);
  for (host::Instance* instance : session.instances()) {
    instance->load(get_state(instance->name(), tensors, values));
  }

  const auto cpu = tensors.find("random/cpu");
  if (cpu == tensors.end()) {
    throw Error(Fault::kRun, (checkpoint / kStateFile).string() +
                                 " has no state of the random "
                                 "generator (random/cpu)");
  }
  RandomState random{session.world.device(), cpu->second, {}};
  const auto cuda = tensors.find("random/cuda");
  if (random.device.is_cuda() && cuda != tensors.end()) random.cuda = cuda->second;
  random.restore();
  compare_machine(values, session.world.device());
  return get_run(values, checkpoint / kValuesFile);
}

}  // namespace hob::train
