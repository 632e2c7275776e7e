#include <hob/precision.h>

// Parameters in float32; layers compute in bfloat16, or in float32 whose matrix products may use
// TF32 on a GPU.

namespace {

struct @CLASS@Config {
  std::string compute;
  HOB_SCHEMA(@CLASS@Config, HOB_PARAM(compute, "bfloat16", hob::one_of("bfloat16", "tf32"),
                                      "what layers compute in"))
};

class @CLASS@ : public hob::Precision<@CLASS@Config> {
 public:
  // Changes what is to differ from float32 throughout.
  void plan(hob_precision_plan& plan) const override {
    if (config.compute == "bfloat16") {
      plan.autocast_dtype = HOB_BFLOAT16;
    } else {
      plan.allow_tf32 = 1;
    }
  }
};

}  // namespace

HOB_PLUGIN("org.example.@NAME@", "0.1.0",
           hob::add<@CLASS@>("@NAME@", "float32 parameters, faster types in the layers"))
