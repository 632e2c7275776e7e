#pragma once

#include <hob/abi/objective.h>
#include <hob/ops.h>
#include <hob/plugin.h>

namespace hob {

using NamedTensors = std::span<const hob_named_tensor>;
using NamedViews = std::span<const hob_named_view>;

// The field of that name in a batch on the host.
inline const hob_view& find(NamedViews batch, std::string_view name) {
  for (const hob_named_view& v : batch) {
    if (name == v.name) return v.view;
  }
  throw Error("the batch has no field '" + std::string(name) + "'", HOB_ERROR_INVALID);
}

// Base of objectives: the loss of an update is the sum over its terms of
// coefficient * sum / weight, both over the whole update, however it is cut into micro-batches.
template <class Config>
class Objective : public Component<Config> {
 public:
  static constexpr std::string_view kKind = "objective";
  static constexpr std::string_view kInterface = HOB_OBJECTIVE_INTERFACE;

  // One term named "loss" with coefficient 1, unless overridden. [load]
  virtual std::vector<hob_term> terms() const { return {{"loss", 1.0}}; }
  // The weight of each term in these samples, from the targets alone. [worker]
  virtual void weights(NamedViews batch, std::span<double> out) const = 0;
  // The sum of each term over these samples: one element each, differentiable. [main]
  virtual std::vector<Tensor> sums(NamedTensors outputs, NamedTensors batch) = 0;

  template <class T>
  static hob_objective make_table() {
    return {detail::component_table<T>(sizeof(hob_objective)),
            [](void* self, hob_term* out, uint32_t capacity, uint32_t* count) {
              return detail::guard([&] {
                detail::fill(static_cast<const T*>(self)->terms(), out, capacity, count, "terms");
              });
            },
            [](void* self, const hob_named_view* batch, uint32_t count, double* out) {
              return detail::guard([&] {
                const auto* me = static_cast<const T*>(self);
                me->weights(NamedViews(batch, count), std::span(out, me->terms().size()));
              });
            },
            [](void* self, const hob_named_tensor* outputs, uint32_t n_outputs,
               const hob_named_tensor* batch, uint32_t n_batch, hob_tensor** out) {
              return detail::guard([&] {
                auto sums = static_cast<T*>(self)->sums(NamedTensors(outputs, n_outputs),
                                                        NamedTensors(batch, n_batch));
                for (size_t i = 0; i < sums.size(); ++i) out[i] = sums[i].release();
              });
            }};
  }
};

}  // namespace hob
