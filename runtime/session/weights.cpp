#include "session/weights.h"

#include <ATen/core/grad_mode.h>

#include <algorithm>
#include <set>

#include "base/error.h"
#include "base/log.h"
#include "base/text.h"

namespace hob::session {
namespace {

constexpr size_t kShown = 8;  // names of a long list that a message shows

std::string shortened(std::vector<std::string> names) {
  const size_t total = names.size();
  if (total <= kShown) return quote_all(names);
  names.resize(kShown);
  return quote_all(names) + " and " + std::to_string(total - kShown) + " more";
}

bool is_reset(const host::Param& param, const std::vector<std::string>& reset) {
  return std::any_of(reset.begin(), reset.end(),
                     [&](const std::string& pattern) { return param.matches(pattern); });
}

const data::StoredTensor* find_stored(const data::SafetensorsReader& reader,
                                      const host::Param& param) {
  if (const auto* stored = reader.find(param.full_name)) return stored;
  for (const std::string& alias : param.aliases) {
    if (const auto* stored = reader.find(alias)) return stored;
  }
  return nullptr;
}

std::string shape_text(at::IntArrayRef shape) {
  std::string text;
  for (const int64_t size : shape) text += (text.empty() ? "" : ", ") + std::to_string(size);
  return "[" + text + "]";
}

void check_reset_patterns(const std::vector<std::string>& reset, host::World& world) {
  for (const std::string& pattern : reset) {
    if (world.match_params(pattern).empty()) {
      throw Error(Fault::kUsage, "model.weights.reset: the pattern " + quote(pattern) +
                                     " matches no parameter of the model");
    }
  }
}

void log_unused(const data::SafetensorsReader& reader, const std::set<std::string>& used,
                const std::filesystem::path& path) {
  std::vector<std::string> unused;
  for (const data::StoredTensor& stored : reader.tensors()) {
    if (!used.contains(stored.name)) unused.push_back(stored.name);
  }
  if (unused.empty()) return;
  log::warn(path.string() +
            " holds tensors that the model has no parameter for: " + shortened(std::move(unused)));
}

}  // namespace

void load_model_weights(const std::filesystem::path& path, const std::vector<std::string>& reset,
                        host::World& world) {
  check_reset_patterns(reset, world);
  const auto reader = data::SafetensorsReader::open(path);
  std::vector<std::string> missing;
  std::vector<std::string> misshapen;
  std::vector<std::pair<host::Param*, const data::StoredTensor*>> found;
  std::set<std::string> used;
  for (host::Param& param : world.params()) {
    if (param.flags & HOB_PARAM_EPHEMERAL) continue;
    const data::StoredTensor* stored = find_stored(reader, param);
    if (stored) used.insert(stored->name);
    if (is_reset(param, reset)) continue;
    if (!stored) {
      missing.push_back(param.full_name);
    } else if (at::IntArrayRef(stored->shape) != param.tensor.sizes()) {
      misshapen.push_back(param.full_name + " " + shape_text(stored->shape) + ", the model's is " +
                          shape_text(param.tensor.sizes()));
    } else {
      found.emplace_back(&param, stored);
    }
  }
  if (!missing.empty() || !misshapen.empty()) {
    throw Error(
        Fault::kUsage,
        path.string() + " does not fit the model" +
            (missing.empty() ? "" : "; it lacks " + shortened(std::move(missing))) +
            (misshapen.empty() ? "" : "; of another shape: " + shortened(std::move(misshapen))) +
            "; name what shall keep its first values in model.weights.reset");
  }
  const at::NoGradGuard no_grad;
  for (const auto& [param, stored] : found) param->tensor.copy_(data::read_tensor(reader, *stored));
  log_unused(reader, used, path);
}

ModelWeights collect_weights(host::World& world, bool copy) {
  ModelWeights result;
  for (host::Param& param : world.params()) {
    if (param.flags & (HOB_PARAM_EPHEMERAL | HOB_PARAM_REPLACED)) continue;
    at::Tensor tensor = param.tensor.detach();
    if (!tensor.is_cpu()) {
      tensor = tensor.cpu();
    } else if (copy) {
      tensor = tensor.clone();
    }
    result.tensors[param.full_name] = tensor;
    for (const std::string& alias : param.aliases) result.aliases[alias] = param.full_name;
  }
  return result;
}

}  // namespace hob::session
