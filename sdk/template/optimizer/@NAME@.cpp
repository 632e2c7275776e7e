#include <hob/optimizer.h>

// Steps by the sign of the mean of gradients (Signum: Bernstein et al., "signSGD", 2018). With the
// gradient g:
//   m <- beta * m + (1 - beta) * g
//   p <- p - lr * (sign(m) + weight_decay * p)

namespace {

struct @CLASS@Config {
  double beta;
  HOB_SCHEMA(@CLASS@Config,
             HOB_PARAM(beta, 0.9, hob::ge(0), hob::lt(1), "share of the mean that is kept"))
};

class @CLASS@ : public hob::Optimizer<@CLASS@Config> {
 public:
  void step(Group& group) override {
    const hob::ListRef m = group.state("mean");  // the host saves and restores it
    hob::foreach_lerp_(m, group.grads(), 1 - group.config().beta);
    hob::foreach_mul_(group.params(), 1 - group.lr() * group.weight_decay());
    hob::foreach_add_(group.params(), hob::foreach_sign(m), -group.lr());
  }
};

}  // namespace

// The trait says that step() applies the group's weight_decay. An optimizer without it is refused
// where a recipe gives one.
HOB_PLUGIN("org.example.@NAME@", "0.1.0",
           hob::add<@CLASS@>("@NAME@", "Steps by the sign of the mean of gradients",
                             hob::trait("weight_decay")))
