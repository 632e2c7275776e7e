#include <hob/schedule.h>

// f(u) = 1: the base value throughout.

namespace {

class Constant : public hob::Schedule<hob::NoConfig> {
 public:
  double factor(std::string_view, uint64_t, uint64_t) const override { return 1; }
};

}  // namespace

HOB_PLUGIN("org.hob.constant", "0.1.0", hob::add<Constant>("constant", "The same rate throughout"))
