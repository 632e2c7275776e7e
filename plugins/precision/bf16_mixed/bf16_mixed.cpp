#include <hob/precision.h>

// Parameters and their updates in float32; layers compute in bfloat16 where that is safe. Its
// exponent is float32's, so no loss scaling is needed. Micikevicius et al., "Mixed Precision
// Training" (2018); Kalamkar et al., "A Study of BFLOAT16 for Deep Learning Training" (2019).

namespace {

class Bf16Mixed : public hob::Precision<hob::NoConfig> {
 public:
  void plan(hob_precision_plan& plan) const override {
    plan.parameter_dtype = HOB_FLOAT32;
    plan.autocast_dtype = HOB_BFLOAT16;
  }
};

}  // namespace

HOB_PLUGIN("org.hob.bf16_mixed", "0.1.0",
           hob::add<Bf16Mixed>("bf16_mixed", "Computes in bfloat16, keeps float32 parameters"))
