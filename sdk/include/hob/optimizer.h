#pragma once

#include <hob/abi/optimizer.h>
#include <hob/ops.h>
#include <hob/plugin.h>

#include <vector>

namespace hob {

// One group of parameters in one step. Everything is borrowed: it ends with step().
template <class Config>
class ParamGroup {
 public:
  ParamGroup(hob_group* group, const Config& config) : group_(group), config_(config) {}

  // Parameters that have a gradient, and their gradients: unscaled, clipped, aligned.
  ListRef params() const { return group_->params; }
  ListRef grads() const { return group_->grads; }
  double lr() const { return group_->lr; }  // the schedule's factor is in it
  double weight_decay() const { return group_->weight_decay; }
  // The group's place among the recipe's groups, the same in every step.
  uint32_t index() const { return group_->index; }
  // Raised when params() holds other tensors than before, or their shapes or types changed.
  uint64_t generation() const { return group_->generation; }
  // Steps that this group completed before this one.
  int64_t step() const { return static_cast<int64_t>(group_->step); }
  // The component's parameters, with what the recipe says of this group.
  const Config& config() const { return config_; }
  // 1 where the step must be skipped, on the device; none for optimizers without that trait.
  TensorRef skip() const { return group_->skip; }

  // State by name, zeros at first, one tensor for each of params(). The host saves it by the
  // parameters' names, restores it, and keeps it aligned.
  ListRef state(const char* name) const { return state(name, HOB_STATE_ZEROS); }
  // A float32 count for each of params(), on its device: what LibTorch's fused optimizers step.
  ListRef count(const char* name) const { return state(name, HOB_STATE_COUNT); }

 private:
  ListRef state(const char* name, uint32_t init) const {
    hob_list* out = nullptr;
    check(group_->state(group_, name, init, &out));
    return out;
  }
  hob_group* group_;
  const Config& config_;
};

// Base of optimizers: step() changes the group's parameters in place. Gradients are not recorded.
template <class Config>
class Optimizer : public Component<Config> {
 public:
  using Group = ParamGroup<Config>;
  static constexpr std::string_view kKind = "optimizer";
  static constexpr std::string_view kInterface = HOB_OPTIMIZER_INTERFACE;

  virtual void step(Group& group) = 0;

  template <class T>
  static hob_optimizer make_table() {
    return {detail::component_table<T>(sizeof(hob_optimizer)),
            [](void* self, hob_group* const* groups, uint32_t n_groups) {
              return detail::guard([&] {
                for (uint32_t i = 0; i < n_groups; ++i) static_cast<T*>(self)->step_one(groups[i]);
              });
            }};
  }

 private:
  void step_one(hob_group* group) {
    if (configs_.size() <= group->index) configs_.resize(group->index + 1);
    auto& known = configs_[group->index];
    if (!known) known = std::make_unique<Config>(Config::hob_read(group->config));
    Group wrapped(group, *known);
    step(wrapped);
  }
  std::vector<std::unique_ptr<Config>> configs_;  // by group: the recipe's values do not change
};

}  // namespace hob
