#pragma once

#include <ATen/TensorOperators.h>

#include <hob/abi/model.h>
#include <hob/native/error.h>
#include <hob/native/scope.h>
#include <hob/plugin.h>

#include <span>
#include <vector>

// Models on LibTorch's tensors. The layers of <hob/native/nn.h> register their parameters and
// sockets while the model is constructed:
//
//   struct Tiny : hob::native::Model<TinyConfig> {
//     Scope root{*this};
//     Linear fc{root / "fc", 784, config.num_classes, {.role = HOB_ROLE_HEAD}};
//
//     Outputs forward(const Batch& batch) override {
//       return {{"logits", fc(batch["image"].flatten(1))}};  // (B, num_classes)
//     }
//   };

namespace hob::native {

// The named tensors of a batch; borrowed for the call.
class Batch {
 public:
  explicit Batch(std::span<const hob_named_tensor> fields) : fields_(fields) {}

  const at::Tensor& operator[](std::string_view name) const {
    return tensor_of(find(fields_, name).handle());
  }
  bool has(std::string_view name) const {
    for (const hob_named_tensor& field : fields_) {
      if (name == field.name) return true;
    }
    return false;
  }

 private:
  std::span<const hob_named_tensor> fields_;
};

struct Output {
  const char* name;  // lives as long as the model
  at::Tensor tensor;
};
using Outputs = std::vector<Output>;

// Base of models of the native tier.
template <class Config>
class Model : public Component<Config> {
 public:
  static constexpr std::string_view kKind = "model";
  static constexpr std::string_view kInterface = HOB_MODEL_INTERFACE;

  // Names of the batch's fields that forward wants. [load]
  virtual std::vector<const char*> inputs() const { return {"image"}; }
  // Named outputs of a batch; runs under the host's autocast and gradient mode. [main]
  virtual Outputs forward(const Batch& batch) = 0;

  template <class T>
  static hob_model make_table() {
    hob_model table{detail::component_table<T>(sizeof(hob_model)),
                    [](void* self, const char** out, uint32_t capacity, uint32_t* count) {
                      return guard([&] {
                        detail::fill(static_cast<const T*>(self)->inputs(), out, capacity, count,
                                     "inputs");
                      });
                    },
                    &run<T>};
    table.component.create = [](hob_env* env, const hob_config* config, void** self) {
      return guard([&] {
        detail::construction = {env, config};
        *self = std::make_unique<T>().release();
      });
    };
    return table;
  }

 private:
  template <class T>
  static hob_error* run(void* self, const hob_named_tensor* inputs, uint32_t n_inputs,
                        hob_named_tensor* outputs, uint32_t capacity, uint32_t* count) {
    return guard([&] {
      Outputs made = static_cast<T*>(self)->forward(Batch({inputs, n_inputs}));
      if (made.size() > capacity) {
        throw Error("the model returned " + std::to_string(made.size()) + " outputs, at most " +
                    std::to_string(capacity) + " are possible");
      }
      for (Output& output : made) *outputs++ = {output.name, give(std::move(output.tensor))};
      *count = static_cast<uint32_t>(made.size());
    });
  }
};

}  // namespace hob::native
