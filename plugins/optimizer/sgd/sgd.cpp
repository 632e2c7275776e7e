#include <hob/optimizer.h>

// Stochastic gradient descent with momentum, as torch.optim.SGD has it: with the gradient g,
//   g <- g + wd * p
//   b <- g at a parameter's first step, then  b <- momentum * b + (1 - dampening) * g
//   p <- p - lr * (g + momentum * b  with nesterov, else b)
// Sutskever et al., "On the importance of initialization and momentum in deep learning" (2013).

namespace {

struct SgdConfig {
  double momentum, dampening;
  bool nesterov;
  HOB_SCHEMA(SgdConfig,
             HOB_PARAM(momentum, 0.0, hob::ge(0), hob::lt(1), "share of the last step kept"),
             HOB_PARAM(dampening, 0.0, hob::in(0, 1), "share of the gradient kept out of it"),
             HOB_PARAM(nesterov, false, "look ahead; needs momentum, and no dampening"))
};

class Sgd : public hob::Optimizer<SgdConfig> {
 public:
  void step(Group& group) override {
    const SgdConfig& c = group.config();
    if (c.nesterov && (c.momentum == 0 || c.dampening != 0)) {
      throw hob::Error("nesterov needs momentum > 0 and dampening = 0", HOB_ERROR_INVALID);
    }
    if (c.momentum == 0) {
      fused(group, group.params(), group.grads(), none_, false);
    } else if (c.dampening == 0) {
      // A buffer of zeros makes the first step what it should be.
      fused(group, group.params(), group.grads(), group.state("momentum_buffer"), false);
    } else {
      step_dampened(group);
    }
  }

 private:
  // The first step is another one, and parameters may have theirs at different updates.
  void step_dampened(Group& group) {
    const hob::ListRef params = group.params();
    const hob::ListRef grads = group.grads();
    const hob::ListRef buffers = group.state("momentum_buffer");
    if (known_.size() <= group.index()) known_.resize(group.index() + 1);
    uint64_t& known = known_[group.index()];
    if (known == group.generation() + 1) return fused(group, params, grads, buffers, false);

    // Waits for the device, but only where the tensors are others than at the last step.
    if (group.skip() && group.skip().read<float>()[0] == 1) return;
    const hob::ListRef stepped = group.count("stepped");  // 0 before the first step, then 1
    std::vector<bool> is_first(params.size());
    for (uint32_t i = 0; i < params.size(); ++i) is_first[i] = stepped[i].read<float>()[0] == 0;
    for (const bool first : {true, false}) {
      std::vector<hob::Tensor> p, g, b, s;
      for (uint32_t i = 0; i < params.size(); ++i) {
        if (is_first[i] != first) continue;
        p.push_back(params[i]);
        g.push_back(grads[i]);
        b.push_back(buffers[i]);
        s.push_back(stepped[i]);
      }
      if (p.empty()) continue;
      fused(group, list(p), list(g), list(b), first);
      if (first) hob::foreach_add_(list(s), 1.0);
    }
    known = group.generation() + 1;
  }

  static void fused(Group& group, hob::ListRef params, hob::ListRef grads, hob::ListRef buffers,
                    bool first) {
    const SgdConfig& c = group.config();
    hob::fused_sgd_(params, grads, buffers, group.weight_decay(), c.momentum, group.lr(),
                    c.dampening, c.nesterov, /*maximize=*/false, first, /*grad_scale=*/{},
                    /*found_inf=*/group.skip());
  }
  static hob::TensorList list(const std::vector<hob::Tensor>& tensors) {
    return hob::TensorList(std::vector<hob::TensorRef>(tensors.begin(), tensors.end()));
  }

  hob::TensorList none_{std::span<const hob::TensorRef>()};
  std::vector<uint64_t> known_;  // by group: generation + 1 in which all had their first step
};

}  // namespace

HOB_PLUGIN("org.hob.sgd", "0.1.0",
           hob::add<Sgd>("sgd", "Stochastic gradient descent with momentum",
                         hob::trait("weight_decay"), hob::trait("skip_flag")))
