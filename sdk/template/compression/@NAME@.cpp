#include <hob/compression.h>
#include <hob/names.h>

#include <algorithm>
#include <deque>

// Keeps the smallest weights of each layer, by magnitude, at zero: Han et al., "Learning both
// Weights and Connections for Efficient Neural Networks" (2015). The mask is made of the weights
// that training begins with; it is saved with them, and folded into them at the end.

namespace {

struct @CLASS@Config {
  double sparsity;
  std::vector<std::string> targets;
  HOB_SCHEMA(@CLASS@Config,
             HOB_PARAM(sparsity, 0.5, hob::ge(0), hob::lt(1), "share of each weight that is zero"),
             HOB_PARAM(targets, hob::strings("*"), "patterns of the linear layers' names"))
};

struct Masked {
  hob::Socket* socket;
  hob::Param* mask;  // as the weight: 1 for what is kept
};

// A link of the role "weight": the layer further inside gets the masked weight.
hob::Tensor mask_weight(const hob_link& link, const hob_layer_call& call) {
  const Masked& layer = *static_cast<const Masked*>(link.user);
  const hob::Tensor weight = hob::mul(call.weight, layer.mask->value);
  hob_layer_call inner = call;
  inner.weight = weight.handle();
  return hob::next(link, inner);
}

class @CLASS@ : public hob::Compression<@CLASS@Config> {
 public:
  void attach() override {
    for (const std::string& pattern : config.targets) {
      const auto found = hob::find_sockets(env(), pattern.c_str(), HOB_SOCKET_LINEAR);
      if (found.empty()) refuse(pattern);
      for (hob::Socket* socket : found) {
        const bool is_new = std::none_of(layers_.begin(), layers_.end(), [&](const Masked& l) {
          return l.socket == socket;
        });
        if (is_new) add_mask(socket);
      }
    }
  }

  void finalize() override {
    const hob::NoGrad no_grad;
    for (const Masked& layer : layers_) {
      hob::remove(env(), layer.socket);
      hob::mul_(layer.socket->weight->value, layer.mask->value);
    }
    layers_.clear();
  }

 private:
  [[noreturn]] void refuse(const std::string& pattern) const {
    std::vector<std::string> names;
    for (const auto* s : hob::find_sockets(env(), "*", HOB_SOCKET_LINEAR)) names.push_back(s->name);
    throw hob::Error("targets: '" + pattern + "' matches no linear layer; " +
                         hob::nearest_names(pattern, names),
                     HOB_ERROR_INVALID);
  }

  void add_mask(hob::Socket* socket) {
    if (!socket->weight || !socket->weight->value) {
      throw hob::Error("layer '" + std::string(socket->name) + "' keeps its weight in another form",
                       HOB_ERROR_INVALID);
    }
    const hob::NoGrad no_grad;
    const hob::TensorRef weight = socket->weight->value;
    const auto count = static_cast<double>(weight.numel());
    const auto kept = std::max<int64_t>(1, static_cast<int64_t>(count * (1 - config.sparsity)));
    const hob::Tensor size = hob::abs(hob::detach(weight));
    const hob::Tensor largest = hob::topk(hob::reshape(size, {-1}), kept).first;
    const hob::Tensor smallest_kept = hob::select(largest, 0, kept - 1);
    const hob::Tensor mask = hob::to(hob::ge(size, smallest_kept), weight);

    Masked& layer = layers_.emplace_back();
    layer.socket = socket;
    // The role says that an export leaves it out: finalize() has folded it in by then.
    layer.mask = hob::add_param(env(), std::string(socket->name) + ".@NAME@_mask", mask,
                                HOB_ROLE_ADAPTER, HOB_PARAM_BUFFER);
    hob::install<mask_weight>(env(), socket, HOB_LINK_WEIGHT, &layer);
  }

  std::deque<Masked> layers_;  // a deque: links point to its elements
};

}  // namespace

HOB_PLUGIN("org.example.@NAME@", "0.1.0",
           hob::add<@CLASS@>("@NAME@", "Keeps the smallest weights at zero"))
