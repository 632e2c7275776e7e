// model_probe <plugin.so> <component> <options.json text> <in.safetensors> <out.safetensors>
//
// Runs a model plugin once, forward and backward, for tests that compare it with another
// implementation. <in> holds `input.<field>` for the batch, `weight.<name>` for parameters and
// buffers (those left out keep their first values), and `target` (class labels) where the loss is
// cross entropy of the output "logits"; without it, it is the sum of squares of all outputs. <out>
// receives `output.<name>`, `grad.<name>` and, as they are afterwards, `value.<name>`.
// Options, all of them optional:
//   params     the component's parameters by name
//   seed       of LibTorch's generators
//   training   true by default
//   frozen     a pattern of parameters that are not trained
//   recompute  a pattern of segments that run again in backward
//   linked     true: every socket gets a link that changes nothing

#include <ATen/Functions.h>
#include <ATen/TensorOperators.h>
#include <ATen/core/grad_mode.h>
#include <hob/abi/model.h>

#include <iostream>
#include <nlohmann/json.hpp>

#include "data/torch/tensor_file.h"
#include "host/tables/guard.h"
#include "host/tables/tables.h"
#include "session/plugins.h"

namespace {

using nlohmann::json;
namespace recipe = hob::recipe;
namespace host = hob::host;

recipe::Value value_of(const json& value, recipe::ParamType type) {
  switch (type) {
    case recipe::ParamType::kBool:
      return value.get<bool>();
    case recipe::ParamType::kInt:
    case recipe::ParamType::kSize:
      return value.get<std::int64_t>();
    case recipe::ParamType::kFloat:
      return value.get<double>();
    case recipe::ParamType::kString:
    case recipe::ParamType::kPath:
      return value.get<std::string>();
    case recipe::ParamType::kIntList:
      return value.get<std::vector<std::int64_t>>();
    case recipe::ParamType::kFloatList:
      return value.get<std::vector<double>>();
    case recipe::ParamType::kStringList:
      return value.get<std::vector<std::string>>();
  }
  throw std::logic_error("a type of parameter that the probe does not know");
}

recipe::Component make_component(const recipe::Catalogue& catalogue, const std::string& name,
                                 const json& params) {
  recipe::Component component;
  component.kind = "model";
  component.use = name;
  component.schema = catalogue.find("model", name).component;
  if (!component.schema) throw std::runtime_error("the plugin has no usable model '" + name + "'");
  for (const recipe::ParamSchema& param : component.schema->params) {
    if (params.contains(param.name)) {
      component.params.emplace_back(param.name, value_of(params[param.name], param.type));
    } else {
      component.params.emplace_back(param.name, param.default_value.value());
    }
  }
  return component;
}

hob_error* pass_on(const hob_link* self, const hob_layer_call* call, hob_tensor** out) {
  return self->next->call(self->next, call, out);
}

void prepare(host::World& world, const json& options) {
  hob_env env{&world, "probe", "probe", 0};
  if (options.contains("frozen")) {
    for (host::Param* param : world.match_params(options["frozen"].get<std::string>())) {
      host::check(host::kParamsTable.set_trainable(param, 0));
    }
  }
  if (options.contains("recompute")) {
    for (host::Segment* segment : world.match_segments(options["recompute"].get<std::string>())) {
      segment->mode = HOB_SEGMENT_RECOMPUTE;
    }
  }
  if (options.value("linked", false)) {
    for (host::Socket& socket : world.sockets()) {
      host::check(host::kSocketsTable.install(&env, &socket, HOB_LINK_OBSERVER, &pass_on, nullptr));
    }
  }
  world.pass().training = options.value("training", true) ? 1 : 0;
}

// The tensors whose names begin with `prefix`, without it.
hob::data::NamedTensors with_prefix(const hob::data::NamedTensors& all, const std::string& prefix) {
  hob::data::NamedTensors result;
  for (const auto& [name, tensor] : all) {
    if (name.starts_with(prefix)) result.emplace(name.substr(prefix.size()), tensor);
  }
  return result;
}

void load_weights(host::World& world, const hob::data::NamedTensors& weights) {
  const at::NoGradGuard no_grad;
  for (const auto& [name, tensor] : weights) {
    host::Param* param = world.find_param(name);
    if (!param) throw std::runtime_error("the model has no '" + name + "'");
    if (param->tensor.sizes() != tensor.sizes()) {
      throw std::runtime_error("the shape of '" + name + "' is another one");
    }
    param->tensor.copy_(tensor);
  }
}

hob::data::NamedTensors run_forward(const host::Instance& model,
                                    const hob::data::NamedTensors& inputs) {
  std::vector<hob_named_tensor> batch;
  for (const auto& [name, tensor] : inputs) batch.push_back({name.c_str(), host::borrow(tensor)});
  std::vector<hob_named_tensor> raw(16);
  uint32_t count = 0;
  model.call(&hob_model::forward, batch.data(), static_cast<uint32_t>(batch.size()), raw.data(),
             static_cast<uint32_t>(raw.size()), &count);
  hob::data::NamedTensors outputs;
  for (uint32_t i = 0; i < count; ++i) outputs.emplace(raw[i].name, host::take(raw[i].tensor));
  return outputs;
}

at::Tensor loss_of(const hob::data::NamedTensors& outputs, const hob::data::NamedTensors& in) {
  if (in.contains("target")) return at::cross_entropy_loss(outputs.at("logits"), in.at("target"));
  at::Tensor loss = at::zeros({});
  for (const auto& [name, tensor] : outputs) loss = loss + tensor.square().sum();
  return loss;
}

void run(const std::string& plugin, const std::string& name, const json& options,
         const std::string& from, const std::string& to) {
  host::SearchPath path;
  path.explicit_entries = {std::filesystem::absolute(plugin)};
  hob::session::Plugins plugins(path);
  for (const host::Refusal& refusal : plugins.registry().refusals()) {
    std::cerr << refusal.message() << '\n';
  }
  const auto component =
      make_component(plugins.catalogue(), name, options.value("params", json::object()));
  const hob::data::NamedTensors in = hob::data::read_tensors(from);

  at::manual_seed(options.value("seed", std::uint64_t{0}));
  host::World world{at::Device(at::kCPU)};
  const auto model = plugins.make(component, "model", 0, &world);
  load_weights(world, with_prefix(in, "weight."));
  prepare(world, options);

  hob::data::NamedTensors out;
  const auto outputs = run_forward(*model, with_prefix(in, "input."));
  for (const auto& [output, tensor] : outputs) out["output." + output] = tensor.detach();
  const at::Tensor loss = loss_of(outputs, in);
  if (loss.requires_grad()) loss.backward();
  for (const host::Param& param : world.params()) {
    out["value." + param.full_name] = param.tensor.detach();
    if (param.tensor.grad().defined()) out["grad." + param.full_name] = param.tensor.grad();
  }
  hob::data::write_tensors(to, out);
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 6) {
    std::cerr << "usage: model_probe <plugin.so> <component> <options> <in> <out>\n";
    return 2;
  }
  try {
    run(argv[1], argv[2], json::parse(argv[3]), argv[4], argv[5]);
  } catch (const std::exception& error) {
    std::cerr << error.what() << '\n';
    return 1;
  }
  return 0;
}
