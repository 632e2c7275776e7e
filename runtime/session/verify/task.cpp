#include "session/verify/task.h"

#include <ATen/ops/sigmoid.h>

#include <algorithm>

#include "host/tables/handles.h"
#include "session/verify/test.h"

namespace hob::session::verify {
namespace {

constexpr int64_t kSamples = kTaskSamples;
constexpr int64_t kClasses = 10;

void add_names(Task::Named& named, const std::vector<std::string>& names, const at::Tensor& value) {
  for (const std::string& name : names) {
    const bool known = std::any_of(named.begin(), named.end(),
                                   [&](const auto& entry) { return entry.first == name; });
    if (!known) named.emplace_back(name, value.clone());
  }
}

Task::Named part_of(const Task::Named& named, int64_t begin, int64_t end) {
  Task::Named result;
  for (const auto& [name, tensor] : named) {
    result.emplace_back(name, tensor.detach().narrow(0, begin, end - begin).clone());
  }
  return result;
}

std::vector<std::vector<Task>> some_tasks(Bench& bench) {
  std::vector<std::string> given;
  for (const auto& [name, value] : bench.component().params) {
    const auto* text = std::get_if<std::string>(&value);
    if (text && !text->empty()) given.push_back(*text);
  }
  const auto make = [&](const at::Tensor& output, const at::Tensor& target) {
    Task task;
    add_names(task.outputs, {"logits", "output", "prediction", "hidden"}, output);
    add_names(task.outputs, given, output);
    add_names(task.batch, {"label", "target", "labels", "targets", "tokens"}, target);
    add_names(task.batch, given, target);
    return task;
  };
  return {
      {make(bench.randn({kSamples, kClasses}), bench.random_labels({kSamples}, kClasses)),
       make(bench.randn({kSamples, 6, kClasses}), bench.random_labels({kSamples, 6}, kClasses))},
      {make(bench.randn({kSamples, 4}), bench.randn({kSamples, 4})),
       make(bench.randn({kSamples}), bench.randn({kSamples})),
       make(bench.randn({kSamples, 4}), at::sigmoid(bench.randn({kSamples, 4})))}};
}

}  // namespace

Task Task::part(int64_t begin, int64_t end) const {
  return {part_of(outputs, begin, end), part_of(batch, begin, end)};
}

void Task::require_gradients() {
  for (auto& [name, tensor] : outputs) {
    if (tensor.is_floating_point()) tensor.set_requires_grad(true);
  }
}

void on_each_task(Bench& bench, const std::function<void(const Task&)>& take,
                  const std::function<void(const Task&)>& check) {
  std::string refusal;
  int taken = 0;
  for (const std::vector<Task>& kind_of_learning : some_tasks(bench)) {
    for (const Task& task : kind_of_learning) {
      try {
        take(task);
      } catch (const host::PluginError& error) {
        refusal = error.what();
        continue;
      }
      ++taken;
      check(task);
    }
    if (taken > 0) return;
  }
  throw Skip("it takes none of the batches that were tried; it says: " + refusal);
}

std::vector<hob_named_tensor> tensors_of(const Task::Named& named) {
  std::vector<hob_named_tensor> result;
  for (const auto& [name, tensor] : named) result.push_back({name.c_str(), host::borrow(tensor)});
  return result;
}

std::vector<hob_named_view> views_of(const Task::Named& named) {
  std::vector<hob_named_view> result;
  for (const auto& [name, tensor] : named) {
    hob_view view{};
    view.data = tensor.data_ptr();
    view.dtype = static_cast<uint32_t>(tensor.scalar_type());
    view.rank = static_cast<uint32_t>(tensor.dim());
    std::copy(tensor.sizes().begin(), tensor.sizes().end(), view.shape);
    std::copy(tensor.strides().begin(), tensor.strides().end(), view.stride);
    result.push_back({name.c_str(), view});
  }
  return result;
}

}  // namespace hob::session::verify
