#pragma once

#include <ATen/TensorOperators.h>
#include <ATen/core/grad_mode.h>
#include <hob/abi/callback.h>
#include <hob/abi/compression.h>

#include <map>
#include <memory>
#include <string>

#include "session/plugins.h"
#include "unit/torch/tables_fixture.h"

// First-party plugins at work in a run of the real host, without a recipe.

namespace hob::test {

using Overrides = std::map<std::string, recipe::Value>;

inline session::Plugins& first_party() {
  static session::Plugins plugins({{HOB_PLUGINS, HOB_FIXTURE}, {}});
  return plugins;
}

// The one component of a plugin with its defaults, some of them overridden.
inline recipe::Component component(const std::string& plugin_id, const Overrides& overrides = {}) {
  const host::Plugin* plugin = first_party().registry().find(plugin_id);
  if (!plugin) throw std::runtime_error(plugin_id + " was not built, or was refused");
  recipe::Component result;
  result.schema = &plugin->descriptor.components.at(0);
  for (const recipe::ParamSchema& param : result.schema->params) {
    const auto given = overrides.find(param.name);
    if (given != overrides.end()) {
      result.params.emplace_back(param.name, given->second);
    } else if (param.default_value) {
      result.params.emplace_back(param.name, *param.default_value);
    }
  }
  return result;
}

// A model of two linear layers and a convolution, for strategies to act on.
struct PluginRun : Run {
  hob_socket* first = add_linear("first", at::randn({4, 3}));
  hob_socket* second = add_linear("block.second", at::randn({2, 4}));

  std::unique_ptr<host::Instance> make(const std::string& name, const Overrides& overrides = {},
                                       const std::string& instance = "compression.0") {
    return first_party().make(component("org.hob." + name, overrides), instance, 1, &world);
  }

  hob_socket* add_linear(const std::string& name, const at::Tensor& weight) {
    return add_socket(name, HOB_SOCKET_LINEAR, add((name + ".weight").c_str(), weight), nullptr);
  }
  hob_socket* add_socket(const std::string& name, uint32_t kind, hob_param* weight,
                         const hob_conv* geometry);
  // What a layer makes of x, with the links that are on it.
  at::Tensor output(const hob_socket* socket, const at::Tensor& x) const;
};

// The message of what a call throws; "" where it throws nothing.
template <class Function>
std::string message_of(Function&& function) {
  try {
    function();
  } catch (const std::exception& error) {
    return error.what();
  }
  return "";
}

}  // namespace hob::test
