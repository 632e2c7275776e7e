// A good plugin made with the SDK's C++ side, whose notes the compiler and the linker lay out.
#include <hob/optimizer.h>

namespace {

struct SignSgdConfig {
  double scale;
  HOB_SCHEMA(SignSgdConfig, HOB_PARAM(scale, 1.0, hob::gt(0), "factor on the learning rate"))
};

struct SignSgd : hob::Optimizer<SignSgdConfig> {
  void step(Group& group) override {
    hob::foreach_add_(group.params(), hob::foreach_sign(group.grads()),
                      -group.lr() * group.config().scale);
  }
};

}  // namespace

HOB_PLUGIN("org.hob.test.sdk", "1.0.0",
           hob::add<SignSgd>("signsgd", "Steps by the sign of the gradient"))
