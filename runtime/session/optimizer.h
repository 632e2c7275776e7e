#pragma once

#include <hob/abi/optimizer.h>

#include <deque>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "host/tables/instance.h"
#include "recipe/recipe.h"

namespace hob::session {

// The parameters of a run in groups, with the optimizer that steps them and its state. State is
// kept by parameter name, so that it finds its parameter again whatever the order. Main thread.
class Optimizer {
 public:
  // The first group of the recipe that matches a parameter takes it; those that none matches form
  // the last group. Throws Error (usage) where a pattern matches no trainable parameter.
  Optimizer(std::unique_ptr<host::Instance> instance, const recipe::Optimizer& recipe,
            host::World& world);
  ~Optimizer();

  const host::Instance& instance() const { return *instance_; }
  // Every trainable parameter once, tied ones too.
  const std::vector<host::Param*>& params() const { return params_; }

  // The gradients of this update, in the order of params() without those that have none.
  std::vector<at::Tensor> gradients() const;
  void clear_gradients();

  // Steps every parameter that has a gradient. The factors multiply the groups' base values.
  // `skip` is null, or tells the optimizer on the device to leave everything as it is.
  void step(double lr_factor, double weight_decay_factor, const at::Tensor* skip);

  // The first group's learning rate under a factor: what monitors show.
  double lr(double lr_factor) const;

  // Named "<state>/<parameter>"; values hold each group's count of steps.
  host::State save() const;
  void load(const host::State& state);

 private:
  struct Group;
  static hob_error* group_state(hob_group* group, const char* name, uint32_t init, hob_list** out);

  std::unique_ptr<host::Instance> instance_;
  std::vector<host::Param*> params_;
  std::deque<Group> groups_;
};

}  // namespace hob::session
