#include <hob/precision.h>

// Everything in float32, without TF32: the host's own defaults.

namespace {

class Fp32 : public hob::Precision<hob::NoConfig> {
 public:
  void plan(hob_precision_plan&) const override {}
};

}  // namespace

HOB_PLUGIN("org.hob.fp32", "0.1.0", hob::add<Fp32>("fp32", "Everything in float32"))
