#include "train/export.h"

#include <ATen/core/grad_mode.h>
#include <ATen/ops/isfinite.h>
#include <hob/abi/compression.h>

#include "base/error.h"
#include "session/weights.h"

namespace hob::train {
namespace {

at::ScalarType export_type(const std::string& name) {
  if (name == "float32") return at::kFloat;
  if (name == "bfloat16") return at::kBFloat16;
  if (name == "float16") return at::kHalf;
  return at::ScalarType::Undefined;  // "keep"
}

at::Tensor converted(const at::Tensor& tensor, at::ScalarType type, const std::string& name) {
  if (type == at::ScalarType::Undefined || !tensor.is_floating_point()) return tensor;
  at::Tensor result = tensor.to(type);
  const bool overflows =
      !at::isfinite(result).all().item<bool>() && at::isfinite(tensor).all().item<bool>();
  if (overflows) {
    throw Error(Fault::kRun, "export: values of '" + name + "' do not fit " + c10::toString(type) +
                                 " (they would become infinite); choose another export.dtype");
  }
  return result;
}

}  // namespace

void export_model(session::Session& session, const Progress& progress,
                  const std::filesystem::path& path) {
  const at::NoGradGuard no_grad;
  EventBus bus(session, progress.update, progress.epoch);
  bus.emit(HOB_EVENT_EXPORT_BEGIN, progress);
  for (const auto& compression : session.compression) {
    compression->call(&hob_compression::finalize);
  }
  session::ModelWeights weights = session::collect_weights(session.world, /*copy=*/false);
  const at::ScalarType type = export_type(session.recipe.exports.dtype);
  data::NamedTensors tensors;
  for (auto& [name, tensor] : weights.tensors) {
    const host::Param* param = session.world.find_param(name);
    if (param->role == HOB_ROLE_ADAPTER) continue;  // folded into the layers
    tensors[name] = converted(tensor, type, name);
  }
  std::filesystem::create_directories(path.parent_path());
  data::write_tensors(path, tensors, {{"format", "pt"}}, weights.aliases);
  bus.emit(HOB_EVENT_EXPORT_END, progress);
}

}  // namespace hob::train
