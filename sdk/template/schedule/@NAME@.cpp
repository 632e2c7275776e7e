#include <hob/schedule.h>

#include <algorithm>

// f(u) = 1 + (end - 1) * u / total after u of total updates: a straight line from 1 to end. The
// weight decay keeps its base value.

namespace {

struct @CLASS@Config {
  double end;
  HOB_SCHEMA(@CLASS@Config, HOB_PARAM(end, 0.0, hob::in(0, 1), "factor at the end"))
};

class @CLASS@ : public hob::Schedule<@CLASS@Config> {
 public:
  // Pure: the same arguments give the same factor. Finite, also where total is 0.
  double factor(std::string_view hyper, uint64_t update, uint64_t total) const override {
    if (hyper != "lr" || total == 0) return 1;
    const double done = std::min(1.0, static_cast<double>(update) / static_cast<double>(total));
    return 1 + (config.end - 1) * done;
  }
};

}  // namespace

HOB_PLUGIN("org.example.@NAME@", "0.1.0",
           hob::add<@CLASS@>("@NAME@", "Down to a share of the rate along a straight line"))
