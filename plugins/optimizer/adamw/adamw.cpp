#include <hob/optimizer.h>

// Adam with decoupled weight decay: Loshchilov and Hutter, "Decoupled Weight Decay Regularization"
// (2019), algorithm 2. With the gradient g, at step t:
//   p <- p - lr * wd * p
//   m <- b1 m + (1 - b1) g;  v <- b2 v + (1 - b2) g^2
//   p <- p - lr * (m / (1 - b1^t)) / (sqrt(v / (1 - b2^t)) + eps)
// amsgrad divides by the largest v so far (Reddi et al., 2018). The state's names are PyTorch's.

namespace {

struct AdamWConfig {
  double beta1, beta2, eps;
  bool amsgrad;
  HOB_SCHEMA(AdamWConfig,
             HOB_PARAM(beta1, 0.9, hob::ge(0), hob::lt(1), "decay of the mean of gradients"),
             HOB_PARAM(beta2, 0.999, hob::ge(0), hob::lt(1), "decay of the mean of their squares"),
             HOB_PARAM(eps, 1e-8, hob::ge(0), "added to the denominator"),
             HOB_PARAM(amsgrad, false, "divide by the largest mean of squares so far"))
};

class AdamW : public hob::Optimizer<AdamWConfig> {
 public:
  void step(Group& group) override {
    const AdamWConfig& c = group.config();
    const hob::ListRef steps = group.count("step");
    const hob::ListRef largest = c.amsgrad ? group.state("max_exp_avg_sq") : hob::ListRef(none_);
    hob::foreach_add_(steps, 1.0);
    hob::fused_adamw_(group.params(), group.grads(), group.state("exp_avg"),
                      group.state("exp_avg_sq"), largest, steps, group.lr(), c.beta1, c.beta2,
                      group.weight_decay(), c.eps, c.amsgrad, /*maximize=*/false,
                      /*grad_scale=*/{}, /*found_inf=*/group.skip());
    // The kernel left everything as it was where it had to skip; the count follows.
    if (group.skip()) hob::foreach_add_(steps, hob::reshape(group.skip(), {}), -1);
  }

 private:
  hob::TensorList none_{std::span<const hob::TensorRef>()};
};

}  // namespace

HOB_PLUGIN("org.hob.adamw", "0.1.0",
           hob::add<AdamW>("adamw", "Adam with decoupled weight decay", hob::trait("weight_decay"),
                           hob::trait("skip_flag")))
