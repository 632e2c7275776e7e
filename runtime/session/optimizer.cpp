#include "session/optimizer.h"

#include <ATen/core/grad_mode.h>
#include <ATen/ops/empty_like.h>
#include <ATen/ops/zeros.h>
#include <ATen/ops/zeros_like.h>

#include <algorithm>

#include "base/error.h"
#include "base/text.h"
#include "host/tables/guard.h"

// The other side of hob_group: what a group's state function works on.
struct hob_group_host {};

namespace hob::session {

using host::Param;

struct Optimizer::Group : hob_group_host {
  hob_group view{};  // what the plugin sees
  double base_lr = 0;
  double base_weight_decay = 0;
  std::unique_ptr<hob_config> config;
  std::vector<Param*> members;

  // Those of the members that have a gradient in this update, and their lists.
  std::vector<Param*> active;
  std::vector<uint64_t> active_generations;
  host::ListHandle params;
  host::ListHandle grads;
  std::map<std::string, host::ListHandle, std::less<>> state_lists;  // aligned with active
  std::map<std::string, std::map<Param*, at::Tensor>, std::less<>> state;

  void collect();
  hob_list* state_list(const std::string& name, uint32_t init);
};

namespace {

at::Tensor initial_state(const at::Tensor& param, uint32_t init) {
  if (init == HOB_STATE_COUNT) {
    return at::zeros({}, param.options().dtype(at::kFloat).requires_grad(false));
  }
  return at::zeros_like(param).set_requires_grad(false);
}

// A saved tensor in the parameter's memory format: fused kernels walk both by address.
at::Tensor saved_state(const at::Tensor& param, const at::Tensor& saved) {
  if (saved.sizes() != param.sizes()) return saved.to(param.device());
  return at::empty_like(param, saved.scalar_type()).copy_(saved);
}

// The parameters of the model that are trained, and can be: each cell once.
std::vector<Param*> trainable_params(host::World& world) {
  std::vector<Param*> result;
  for (Param& p : world.params()) {
    if (p.is_trainable()) result.push_back(&p);
  }
  return result;
}

recipe::Params merged(recipe::Params base, const recipe::Params& overrides) {
  for (const auto& [name, value] : overrides) {
    for (auto& [known, slot] : base) {
      if (known == name) slot = value;
    }
  }
  return base;
}

}  // namespace

// Finds the members with a gradient; the lists of parameters and state stay as they are while these
// are the same tensors as in the last update, which is the usual case.
void Optimizer::Group::collect() {
  size_t count = 0;
  bool same = true;
  std::vector<at::Tensor> gradients;
  gradients.reserve(members.size());
  for (Param* p : members) {
    const at::Tensor& gradient = p->tensor.grad();
    if (!gradient.defined()) continue;
    gradients.push_back(gradient);
    same = same && count < active.size() && active[count] == p &&
           active_generations[count] == p->generation;
    ++count;
  }
  grads = host::ListHandle(host::make_list(std::move(gradients)));
  view.grads = grads.get();
  if (same && count == active.size()) return;

  active.clear();
  active_generations.clear();
  std::vector<at::Tensor> tensors;
  for (Param* p : members) {
    if (!p->tensor.grad().defined()) continue;
    active.push_back(p);
    active_generations.push_back(p->generation);
    tensors.push_back(p->tensor);
  }
  params = host::ListHandle(host::make_list(std::move(tensors)));
  view.params = params.get();
  state_lists.clear();
  ++view.generation;
}

hob_list* Optimizer::Group::state_list(const std::string& name, uint32_t init) {
  host::ListHandle& list = state_lists[name];
  if (list.get()) return list.get();
  std::vector<at::Tensor> tensors;
  auto& of_name = state[name];
  for (Param* p : active) {
    at::Tensor& tensor = of_name[p];
    // Fused kernels check no shapes: state of a parameter that changed its shape starts anew.
    const bool fits =
        tensor.defined() && (init == HOB_STATE_COUNT || tensor.sizes() == p->tensor.sizes());
    if (!fits) tensor = initial_state(p->tensor, init);
    tensors.push_back(tensor);
  }
  list = host::ListHandle(host::make_list(std::move(tensors)));
  return list.get();
}

hob_error* Optimizer::group_state(hob_group* group, const char* name, uint32_t init,
                                  hob_list** out) {
  return host::guard([&] { *out = static_cast<Group*>(group->host)->state_list(name, init); });
}

Optimizer::Optimizer(std::unique_ptr<host::Instance> instance, const recipe::Optimizer& recipe,
                     host::World& world)
    : instance_(std::move(instance)), params_(trainable_params(world)) {
  if (params_.empty()) {
    throw Error(Fault::kUsage, "no parameter is left to train: every one is frozen");
  }
  std::vector<Param*> rest = params_;
  auto add_group = [&](std::vector<Param*> members, double lr, double weight_decay,
                       const recipe::Params& params) {
    Group& group = groups_.emplace_back();
    group.members = std::move(members);
    group.base_lr = lr;
    group.base_weight_decay = weight_decay;
    group.config = std::make_unique<hob_config>(params);
    group.view.struct_size = sizeof(hob_group);
    group.view.index = static_cast<uint32_t>(groups_.size() - 1);
    group.view.config = group.config.get();
    group.view.state = &Optimizer::group_state;
    group.view.host = &group;
  };
  for (const recipe::OptimizerGroup& from : recipe.groups) {
    std::vector<Param*> members;
    for (const std::string& pattern : from.match) {
      const auto matched = world.match_params(pattern);
      const bool any = std::any_of(matched.begin(), matched.end(),
                                   [](const Param* p) { return p->is_trainable(); });
      if (!any) {
        throw Error(Fault::kUsage, to_string(from.where) + ": error: the pattern " +
                                       quote(pattern) +
                                       " of an optimizer group matches no "
                                       "parameter that is trained");
      }
      for (Param* p : matched) {
        const auto found = std::find(rest.begin(), rest.end(), p);
        if (found == rest.end()) continue;
        members.push_back(p);
        rest.erase(found);
      }
    }
    add_group(std::move(members), from.lr, from.weight_decay,
              merged(recipe.component.params, from.params));
  }
  add_group(std::move(rest), recipe.lr, recipe.weight_decay, recipe.component.params);
}

Optimizer::~Optimizer() = default;

std::vector<at::Tensor> Optimizer::gradients() const {
  std::vector<at::Tensor> result;
  result.reserve(params_.size());
  for (const Param* p : params_) {
    const at::Tensor& gradient = p->tensor.grad();
    if (gradient.defined()) result.push_back(gradient);
  }
  return result;
}

void Optimizer::clear_gradients() {
  for (Param* p : params_) p->tensor.mutable_grad().reset();
}

void Optimizer::step(double lr_factor, double weight_decay_factor, const at::Tensor* skip) {
  const at::NoGradGuard no_grad;
  std::vector<hob_group*> views;
  views.reserve(groups_.size());
  for (Group& group : groups_) {
    group.collect();
    if (group.active.empty()) continue;
    group.view.lr = group.base_lr * lr_factor;
    group.view.weight_decay = group.base_weight_decay * weight_decay_factor;
    group.view.skip = skip ? host::borrow(*skip) : nullptr;
    views.push_back(&group.view);
  }
  if (views.empty()) return;
  instance_->call(&hob_optimizer::step, views.data(), static_cast<uint32_t>(views.size()));
  for (hob_group* view : views) ++view->step;
}

double Optimizer::lr(double lr_factor) const {
  for (const Group& group : groups_) {
    if (!group.members.empty()) return group.base_lr * lr_factor;
  }
  return 0;
}

host::State Optimizer::save() const {
  host::State result = instance_->save();
  for (const Group& group : groups_) {
    for (const auto& [name, tensors] : group.state) {
      for (const auto& [param, tensor] : tensors) {
        result.tensors[name + "/" + param->full_name] = tensor;
      }
    }
    result.values["steps/" + std::to_string(group.view.index)] =
        static_cast<int64_t>(group.view.step);
  }
  return result;
}

void Optimizer::load(const host::State& state) {
  host::State own;
  own.version = state.version;
  for (const auto& [key, tensor] : state.tensors) {
    const auto slash = key.find('/');
    if (slash == std::string::npos) {
      own.tensors[key] = tensor;
      continue;
    }
    const std::string name = key.substr(0, slash);
    const std::string param = key.substr(slash + 1);
    for (Group& group : groups_) {
      for (Param* p : group.members) {
        if (p->full_name == param) group.state[name][p] = saved_state(p->tensor, tensor);
      }
    }
  }
  for (Group& group : groups_) {
    group.state_lists.clear();
    const auto found = state.values.find("steps/" + std::to_string(group.view.index));
    if (found != state.values.end()) {
      group.view.step = static_cast<uint64_t>(std::get<int64_t>(found->second));
    }
  }
  for (const auto& [key, value] : state.values) {
    if (key.rfind("steps/", 0) != 0) own.values[key] = value;
  }
  instance_->load(own);
}

}  // namespace hob::session
