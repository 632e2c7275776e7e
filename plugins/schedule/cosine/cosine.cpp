#include <hob/schedule.h>

#include <algorithm>
#include <cmath>
#include <numbers>

// f(u) = m + (1 - m) * (1 + cos(pi * u / total)) / 2 after u of total updates: from 1 down to
// m = min_factor along half a cosine. Loshchilov and Hutter, "SGDR" (2017), equation 5. Only the
// learning rate moves: decoupled weight decay is multiplied by it anyway.

namespace {

struct CosineConfig {
  double min_factor;
  HOB_SCHEMA(CosineConfig, HOB_PARAM(min_factor, 0.0, hob::in(0, 1), "factor at the end"))
};

class Cosine : public hob::Schedule<CosineConfig> {
 public:
  double factor(std::string_view hyper, uint64_t update, uint64_t total) const override {
    if (hyper != "lr" || total == 0 || update == 0) return 1;
    const double done = std::min(1.0, static_cast<double>(update) / static_cast<double>(total));
    const double m = config.min_factor;
    return m + (1 - m) * (1 + std::cos(std::numbers::pi * done)) / 2;
  }
};

}  // namespace

HOB_PLUGIN("org.hob.cosine", "0.1.0",
           hob::add<Cosine>("cosine", "Down to a share of the rate along half a cosine"))
