#include "session/verify/bench.h"

#include <ATen/CPUGeneratorImpl.h>
#include <ATen/Context.h>
#include <ATen/core/grad_mode.h>
#include <ATen/ops/empty.h>

#include <algorithm>
#include <cstring>

#include "base/text.h"
#include "session/verify/global_state.h"
#include "session/verify/param_values.h"
#include "session/verify/test.h"

namespace hob::session::verify {
namespace {

// Kinds whose work may draw LibTorch's own random numbers: first weights, dropout.
bool may_draw(const std::string& kind) {
  return kind == "model" || kind == "compression";
}

std::string instance_name(const std::string& kind) {
  return kind == "dataset" ? "dataset.train" : kind;
}

}  // namespace

Bench::Bench(Plugins& plugins, const recipe::ComponentSchema& schema, const recipe::Params& given,
             uint64_t seed)
    : plugins_(plugins),
      seed_(seed),
      random_(seed),
      generator_(at::detail::createCPUGenerator(seed)) {
  component_.kind = schema.kind;
  component_.use = schema.name;
  component_.schema = &schema;
  for (const recipe::ParamSchema& param : schema.params) {
    const auto own = std::find_if(given.begin(), given.end(),
                                  [&](const auto& entry) { return entry.first == param.name; });
    std::optional<recipe::Value> value = param.default_value;
    if (own != given.end()) value = own->second;
    if (!value) {
      value = made_up_value(param);
      made_up_ = true;
    }
    if (!value) {
      throw Skip("it needs a value for " + quote(param.name) + " that cannot be made up: give it " +
                 "with --param " + param.name + "=...");
    }
    component_.params.emplace_back(param.name, *value);
  }
  seed_libtorch(seed);
}

std::filesystem::path Bench::make_folder() {
  std::string name = (std::filesystem::temp_directory_path() / "run-XXXXXX").string();
  if (mkdtemp(name.data()) == nullptr) {
    throw Failure("no folder can be made in " + name + ": " + std::strerror(errno));
  }
  return name;
}

std::unique_ptr<host::Instance> Bench::make(host::World& world) {
  try {
    return make(component_.params, world);
  } catch (const host::PluginError& error) {
    if (!made_up_ || error.code() != HOB_ERROR_INVALID) throw;
    throw Skip(
        std::string("it does not want the parameters that were made up for it; give others ") +
        "with --param name=value. It says: " + error.what());
  }
}

std::unique_ptr<host::Instance> Bench::make(const recipe::Params& params, host::World& world) {
  recipe::Component component = component_;
  component.params = params;
  std::unique_ptr<host::Instance> instance;
  watch("create",
        [&] { instance = plugins_.make(component, instance_name(component.kind), seed_, &world); });
  return instance;
}

void Bench::watch(const std::string& what, const std::function<void()>& call) const {
  const GlobalState before = GlobalState::capture();
  call();
  const std::string changes = before.changes_to(GlobalState::capture(), may_draw(schema().kind));
  expect(changes.empty(), what + " left the process changed: " + changes);
}

uint64_t Bench::below(uint64_t n) {
  return std::uniform_int_distribution<uint64_t>(0, n - 1)(random_);
}

at::Tensor Bench::randn(at::IntArrayRef sizes) {
  return at::empty(sizes, at::kFloat).normal_(0, 1, generator_);
}

at::Tensor Bench::random_labels(at::IntArrayRef sizes, int64_t classes) {
  return at::empty(sizes, at::kLong).random_(classes, generator_);
}

void seed_libtorch(uint64_t seed) {
  at::Generator generator = at::globalContext().defaultGenerator(at::kCPU);  // a handle of it
  generator.set_current_seed(seed);
}

bool same_bits(const at::Tensor& a, const at::Tensor& b) {
  if (!a.defined() || !b.defined()) return a.defined() == b.defined();
  if (a.scalar_type() != b.scalar_type() || a.sizes() != b.sizes()) return false;
  const at::Tensor x = a.detach().contiguous();
  const at::Tensor y = b.detach().contiguous();
  return std::memcmp(x.data_ptr(), y.data_ptr(), x.nbytes()) == 0;
}

Snapshot snapshot(host::World& world) {
  const at::NoGradGuard no_grad;
  Snapshot result;
  for (const host::Param& param : world.params()) {
    if (param.tensor.defined()) result[param.full_name] = param.tensor.detach().clone();
  }
  return result;
}

std::string first_difference(const Snapshot& before, const Snapshot& after) {
  for (const auto& [name, tensor] : before) {
    const auto found = after.find(name);
    if (found == after.end() || !same_bits(tensor, found->second)) return name;
  }
  for (const auto& [name, tensor] : after) {
    if (!before.contains(name)) return name;
  }
  return "";
}

void put_back(const Snapshot& values, host::World& world) {
  const at::NoGradGuard no_grad;
  for (host::Param& param : world.params()) {
    const auto found = values.find(param.full_name);
    if (found != values.end()) param.tensor.copy_(found->second);
  }
}

std::string first_difference(const host::State& a, const host::State& b) {
  const std::string tensor = first_difference(a.tensors, b.tensors);
  if (!tensor.empty()) return tensor;
  for (const auto& [name, value] : a.values) {
    const auto found = b.values.find(name);
    if (found == b.values.end()) return name;
    // NaN is not equal to itself, and a state may hold one.
    const auto* x = std::get_if<double>(&value);
    const auto* y = std::get_if<double>(&found->second);
    const bool same = x && y ? std::memcmp(x, y, sizeof *x) == 0 : value == found->second;
    if (!same) return name;
  }
  for (const auto& [name, value] : b.values) {
    if (!a.values.contains(name)) return name;
  }
  return a.version == b.version ? "" : "its version";
}

host::State copy_of(const host::State& state) {
  host::State copy = state;
  for (auto& [name, tensor] : copy.tensors) tensor = tensor.detach().clone();
  return copy;
}

}  // namespace hob::session::verify
