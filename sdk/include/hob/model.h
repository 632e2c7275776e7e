#pragma once

#include <hob/abi/model.h>
#include <hob/ops.h>
#include <hob/params.h>
#include <hob/plugin.h>

#include <span>
#include <vector>

// Models of the stable tier: parameters are registered while the model is constructed, and forward
// is written in the operators of <hob/ops.h>. For models of many layers see <hob/native/model.h>.

namespace hob {

using NamedTensors = std::span<const hob_named_tensor>;

// One of a model's results; the name lives as long as the model.
struct ModelOutput {
  const char* name;
  Tensor tensor;
};

// Base of models.
template <class Config>
class Model : public Component<Config> {
 public:
  static constexpr std::string_view kKind = "model";
  static constexpr std::string_view kInterface = HOB_MODEL_INTERFACE;

  // Names of the batch's fields that forward wants. [load]
  virtual std::vector<const char*> inputs() const { return {"image"}; }
  // Named outputs of a batch: find(batch, "image") is a field. [main]
  virtual std::vector<ModelOutput> forward(NamedTensors batch) = 0;

  template <class T>
  static hob_model make_table() {
    return {detail::component_table<T>(sizeof(hob_model)),
            [](void* self, const char** out, uint32_t capacity, uint32_t* count) {
              return detail::guard([&] {
                detail::fill(static_cast<const T*>(self)->inputs(), out, capacity, count, "inputs");
              });
            },
            [](void* self, const hob_named_tensor* inputs, uint32_t n_inputs,
               hob_named_tensor* outputs, uint32_t capacity, uint32_t* count) {
              return detail::guard([&] {
                auto made = static_cast<T*>(self)->forward(NamedTensors(inputs, n_inputs));
                if (made.size() > capacity) {
                  throw Error("the model returned " + std::to_string(made.size()) +
                              " outputs, at most " + std::to_string(capacity) + " are possible");
                }
                for (ModelOutput& o : made) *outputs++ = {o.name, o.tensor.release()};
                *count = static_cast<uint32_t>(made.size());
              });
            }};
  }

 protected:
  // Registers a parameter with its first value.
  Param* parameter(const std::string& name, TensorRef value, hob_role role) {
    return add_param(this->env(), name, value, role, HOB_PARAM_TRAINABLE);
  }
};

}  // namespace hob
