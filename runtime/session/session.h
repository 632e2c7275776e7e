#pragma once

#include <hob/abi/precision.h>

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "host/tables/instance.h"
#include "host/tables/world.h"
#include "recipe/recipe.h"
#include "session/optimizer.h"
#include "session/plugins.h"

namespace hob::session {

using InstancePtr = std::unique_ptr<host::Instance>;

// A dataset and what is done to its samples.
struct DataPart {
  InstancePtr dataset;
  std::vector<InstancePtr> transforms;
};

// Every part of a run, made and connected as the recipe says: nothing has been trained yet. Parts
// are destroyed in the reverse order of their making. Main thread.
class Session {
 public:
  // Seeds LibTorch's generators, makes the model with its first weights (or the recipe's file),
  // freezes what is to be frozen, attaches strategies and callbacks, and groups the parameters.
  // Throws Error that names the part. `resumes`: the weights come from a checkpoint afterwards, so
  // the recipe's file is not read.
  Session(const recipe::Recipe& recipe, Plugins& plugins, bool resumes);

  const recipe::Recipe recipe;
  host::World world;
  hob_precision_plan precision{};
  InstancePtr precision_strategy;

  DataPart train_data;
  std::optional<DataPart> eval_data;
  InstancePtr objective;
  std::vector<InstancePtr> metrics;
  InstancePtr model;
  std::vector<InstancePtr> memory;
  std::vector<InstancePtr> compression;
  std::vector<InstancePtr> callbacks;
  std::vector<InstancePtr> monitors;
  InstancePtr schedule;
  std::unique_ptr<Optimizer> optimizer;

  // Every instance whose state is saved, the optimizer aside: all that take part in training.
  std::vector<host::Instance*> instances() const;

 private:
  InstancePtr make(Plugins& plugins, const recipe::Component& component, const std::string& name);
  std::vector<InstancePtr> make_all(Plugins& plugins,
                                    const std::vector<recipe::Component>& components,
                                    const std::string& name);
  DataPart make_data(Plugins& plugins, const recipe::Dataset& dataset, const std::string& name);
  void prepare_weights(bool resumes);
};

// The device that run.device means on this machine. Throws Error (usage) for one that is not there.
at::Device resolve_device(const std::string& name);

}  // namespace hob::session
