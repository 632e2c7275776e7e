#include "session/session.h"

#include <ATen/Context.h>
#include <ATen/Parallel.h>
#include <c10/core/impl/VirtualGuardImpl.h>
#include <hob/abi/callback.h>
#include <hob/abi/compression.h>
#include <hob/abi/memory.h>

#include <cstdlib>
#include <string_view>

#include "base/error.h"
#include "base/log.h"
#include "base/text.h"
#include "session/weights.h"

namespace hob::session {
namespace {

void prepare_libtorch(const recipe::Run& run, const at::Device& device) {
  if (run.deterministic) setenv("CUBLAS_WORKSPACE_CONFIG", ":4096:8", /*overwrite=*/0);
  // Pinned memory and kernels of plugins go by the current device.
  if (device.is_cuda()) c10::impl::VirtualGuardImpl(device.type()).setDevice(device);
  if (run.threads > 0) at::set_num_threads(static_cast<int>(run.threads));
  at::get_num_threads();  // settled here, before a loader's thread can settle it otherwise
  auto& context = at::globalContext();
  const auto seed = [&](at::Device d) {
    at::Generator generator = context.defaultGenerator(d);  // a handle: it seeds the default one
    generator.set_current_seed(static_cast<uint64_t>(run.seed));
  };
  seed(at::kCPU);
  if (device.is_cuda()) seed(device);
  context.setDeterministicAlgorithms(run.deterministic, /*warn_only=*/false);
  context.setDeterministicCuDNN(run.deterministic);
  context.setBenchmarkCuDNN(!run.deterministic);
}

void apply_tf32(const hob_precision_plan& plan) {
  at::globalContext().setFloat32MatmulPrecision(plan.allow_tf32 ? "high" : "highest");
  at::globalContext().setAllowTF32CuDNN(plan.allow_tf32 != 0);
}

}  // namespace

at::Device resolve_device(const std::string& name) {
  const bool cuda = at::hasCUDA() && at::globalContext().hasCUDA();
  if (name == "auto") return cuda ? at::Device(at::kCUDA, 0) : at::Device(at::kCPU);
  if (name == "cpu") return at::Device(at::kCPU);
  const int index = name == "cuda" ? 0 : std::stoi(name.substr(name.find(':') + 1));
  const auto count = cuda ? static_cast<int>(at::getNumGPUs()) : 0;
  if (index >= count) {
    throw Error(Fault::kUsage, "run.device = " + quote(name) + ": this machine has " +
                                   (count == 0 ? "no GPU that LibTorch can use"
                                               : std::to_string(count) + " GPU(s)") +
                                   "; use \"auto\" or \"cpu\"");
  }
  return at::Device(at::kCUDA, static_cast<c10::DeviceIndex>(index));
}

Session::Session(const recipe::Recipe& given, Plugins& plugins, bool resumes)
    : recipe(given), world(resolve_device(given.run.device)) {
  if (recipe.train.memory_budget) {
    throw Error(Fault::kUsage,
                "train.memory_budget: hob cannot plan memory yet; leave it out, and "
                "set loader.micro_batch and [[memory]] yourself");
  }
  prepare_libtorch(recipe.run, world.device());

  precision_strategy = make(plugins, recipe.precision, "precision");
  precision = {sizeof(hob_precision_plan), HOB_FLOAT32, -1, 0};
  precision_strategy->call(&hob_precision::plan, &precision);
  apply_tf32(precision);

  train_data = make_data(plugins, recipe.train_data, "dataset.train");
  if (recipe.eval_data) eval_data = make_data(plugins, *recipe.eval_data, "dataset.eval");
  objective = make(plugins, recipe.objective, "objective");
  metrics = make_all(plugins, recipe.metrics, "metric");

  model = make(plugins, recipe.model.component, "model");
  prepare_weights(resumes);
  memory = make_all(plugins, recipe.memory, "memory");
  for (const auto& part : memory) part->call(&hob_memory::attach);
  compression = make_all(plugins, recipe.compression, "compression");
  for (const auto& part : compression) part->call(&hob_compression::attach);
  callbacks = make_all(plugins, recipe.callbacks, "callback");
  for (const auto& part : callbacks) part->call(&hob_callback::attach);

  schedule = make(plugins, recipe.schedule.component, "schedule");
  optimizer = std::make_unique<Optimizer>(make(plugins, recipe.optimizer.component, "optimizer"),
                                          recipe.optimizer, world);
  monitors = make_all(plugins, recipe.monitors, "monitor");
}

InstancePtr Session::make(Plugins& plugins, const recipe::Component& component,
                          const std::string& name) {
  return plugins.make(component, name, static_cast<uint64_t>(recipe.run.seed), &world);
}

std::vector<InstancePtr> Session::make_all(Plugins& plugins,
                                           const std::vector<recipe::Component>& components,
                                           const std::string& name) {
  std::vector<InstancePtr> result;
  for (size_t i = 0; i < components.size(); ++i) {
    result.push_back(make(plugins, components[i], name + "." + std::to_string(i)));
  }
  return result;
}

DataPart Session::make_data(Plugins& plugins, const recipe::Dataset& dataset,
                            const std::string& name) {
  return {make(plugins, dataset.component, name),
          make_all(plugins, dataset.transforms, name + ".transform")};
}

void Session::prepare_weights(bool resumes) {
  const recipe::Weights& weights = recipe.model.weights;
  if (!weights.path.empty() && !resumes) load_model_weights(weights.path, weights.reset, world);
  for (const std::string& pattern : weights.freeze) {
    bool any = false;
    for (host::Param* p : world.match_params(pattern)) {
      if (p->is_buffer()) continue;
      p->set_trainable(false);
      any = true;
    }
    if (!any) {
      throw Error(Fault::kUsage, "model.weights.freeze: the pattern " + quote(pattern) +
                                     " matches no parameter of the model");
    }
  }
  const auto dtype = static_cast<at::ScalarType>(precision.parameter_dtype);
  for (host::Param& p : world.params()) {
    if (p.is_trainable() && p.tensor.scalar_type() != dtype) p.assign(p.tensor.to(dtype));
  }
}

std::vector<host::Instance*> Session::instances() const {
  std::vector<host::Instance*> result{model.get(), objective.get(), schedule.get(),
                                      precision_strategy.get(), train_data.dataset.get()};
  for (const auto& transform : train_data.transforms) result.push_back(transform.get());
  for (const auto& list : {&metrics, &memory, &compression, &callbacks, &monitors}) {
    for (const auto& part : *list) result.push_back(part.get());
  }
  return result;
}

}  // namespace hob::session
