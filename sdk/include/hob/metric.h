#pragma once

#include <hob/abi/metric.h>
#include <hob/ops.h>
#include <hob/plugin.h>

namespace hob {

// Base of metrics: sums that add up over batches of any size, and what they mean at the end.
template <class Config>
class Metric : public Component<Config> {
 public:
  static constexpr std::string_view kKind = "metric";
  static constexpr std::string_view kInterface = HOB_METRIC_INTERFACE;

  virtual std::vector<hob_result> results() const = 0;  // [load]
  // A float64 vector, on the device of its inputs. [main]
  virtual Tensor sums(std::span<const hob_named_tensor> outputs,
                      std::span<const hob_named_tensor> batch) const = 0;
  // Each result from the sums over the whole dataset; `sums` is empty where there was none. [main]
  virtual void finish(std::span<const double> sums, std::span<double> out) const = 0;

  template <class T>
  static hob_metric make_table() {
    return {detail::component_table<T>(sizeof(hob_metric)),
            [](void* self, hob_result* out, uint32_t capacity, uint32_t* count) {
              return detail::guard([&] {
                detail::fill(static_cast<const T*>(self)->results(), out, capacity, count,
                             "results");
              });
            },
            [](void* self, const hob_named_tensor* outputs, uint32_t n_outputs,
               const hob_named_tensor* batch, uint32_t n_batch, hob_tensor** out) {
              return detail::guard([&] {
                *out = static_cast<const T*>(self)
                           ->sums(std::span(outputs, n_outputs), std::span(batch, n_batch))
                           .release();
              });
            },
            [](void* self, const double* sums, uint32_t n_sums, double* out) {
              return detail::guard([&] {
                const auto* me = static_cast<const T*>(self);
                me->finish(std::span(sums, n_sums), std::span(out, me->results().size()));
              });
            }};
  }
};

}  // namespace hob
