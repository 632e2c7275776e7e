#include <hob/compression.h>
#include <hob/names.h>
#include <hob/random.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <deque>
#include <set>

// Low-rank adapters: y = W x + (alpha / rank) * B (A x), where W is frozen and only A (rank, in)
// and B (out, rank) are trained. Hu et al., "LoRA: Low-Rank Adaptation of Large Language Models"
// (2021). As in Hugging Face's PEFT, A begins Kaiming-uniform with a = sqrt(5), B at zero; in a
// convolution A has the kernel's size and geometry, and B is 1 x 1. finalize() folds (alpha / rank)
// * B A into W.

namespace {

struct LoraConfig {
  int64_t rank;
  double alpha;
  std::vector<std::string> targets, train;
  HOB_SCHEMA(LoraConfig, HOB_PARAM(rank, 8, hob::ge(1), "of the adapters"),
             HOB_PARAM(alpha, 16.0, hob::gt(0), "the adapters' output is scaled by alpha / rank"),
             HOB_PARAM(targets, hob::strings("*"),
                       "patterns of the linear layers and convolutions that get an adapter"),
             HOB_PARAM(train, hob::strings(),
                       "patterns of the model's own parameters that are trained too"))
};

// The adapter of one layer.
struct Adapter {
  hob::Socket* socket;
  hob::Param* a;  // (rank, in) or (rank, in, k...)
  hob::Param* b;  // (out, rank) or (out, rank, 1...)
  double scale;
};

hob::Tensor as_type_of(const hob::Tensor& tensor, hob::TensorRef other) {
  return tensor.dtype() == other.dtype() ? tensor : hob::to(tensor, other);
}

hob::Tensor convolve(hob::TensorRef x, hob::TensorRef weight, const hob_conv& g) {
  const hob::Ints stride(g.stride, g.dim), padding(g.padding, g.dim), dilation(g.dilation, g.dim);
  switch (g.dim) {
    case 1:
      return hob::conv1d(x, weight, {}, stride, padding, dilation);
    case 2:
      return hob::conv2d(x, weight, {}, stride, padding, dilation);
    default:
      return hob::conv3d(x, weight, {}, stride, padding, dilation);
  }
}

constexpr hob_conv pointwise(uint32_t dim) {
  return {sizeof(hob_conv), dim, {1, 1, 1}, {0, 0, 0}, {1, 1, 1}, 1};
}

hob::Tensor branch(const hob_link& link, const hob_layer_call& call) {
  const Adapter& adapter = *static_cast<const Adapter*>(link.user);
  const hob::Tensor y = hob::next(link, call);
  const hob::TensorRef x = call.input;
  // The small matrices take the type of the activations, not the other way round.
  const hob::Tensor a = as_type_of(hob::Tensor::hold(adapter.a->value), x);
  const hob::Tensor b = as_type_of(hob::Tensor::hold(adapter.b->value), x);
  hob::Tensor delta;
  if (call.kind == HOB_SOCKET_CONV) {
    const auto& geometry = *static_cast<const hob_conv*>(call.attributes);
    delta = convolve(convolve(x, a, geometry), b, pointwise(geometry.dim));
  } else {
    delta = hob::linear(hob::linear(x, a), b);
  }
  return hob::add(y, as_type_of(delta, y), adapter.scale);
}

class Lora : public hob::Compression<LoraConfig> {
 public:
  void attach() override {
    const std::vector<hob::Socket*> sockets = find_targets();
    freeze();
    for (hob::Socket* socket : sockets) add_adapter(socket);
    int64_t trained = 0, all = 0;
    for (const hob::Param* p : hob::find_params(env())) {
      if (!p->value || p->flags & HOB_PARAM_BUFFER) continue;
      const int64_t count = hob::TensorRef(p->value).numel();
      all += count;
      if (p->flags & HOB_PARAM_TRAINABLE) trained += count;
    }
    log_info("adapters of rank " + std::to_string(config.rank) + " on " +
             std::to_string(adapters_.size()) + " layers; " + std::to_string(trained) + " of " +
             std::to_string(all) + " parameters are trained");
  }

  void finalize() override {
    const hob::NoGrad no_grad;
    double error = 0;
    for (const Adapter& adapter : adapters_) {
      hob::Param& weight = *adapter.socket->weight;
      require_dense(*adapter.socket);
      hob::remove(env(), adapter.socket);
      const hob::Tensor merged = merge(adapter, weight.value);  // float32, rounded once below
      hob::copy_(weight.value, merged);
      const hob::Tensor stored = hob::to_dtype(weight.value, HOB_FLOAT32);
      error =
          std::max(error, double{hob::amax(hob::abs(hob::sub(stored, merged))).read<float>()[0]});
    }
    char rounding[32];
    std::snprintf(rounding, sizeof rounding, "%.2g", error);
    log_info("folded " + std::to_string(adapters_.size()) +
             " adapters into their layers; rounding " +
             "to the weights' types moved no element by more than " + rounding);
    adapters_.clear();
  }

 private:
  std::vector<hob::Socket*> find_targets() const {
    if (config.targets.empty()) {
      throw hob::Error("targets is empty: name the layers that get an adapter, or leave it out",
                       HOB_ERROR_INVALID);
    }
    std::vector<hob::Socket*> result;
    std::set<hob::Socket*> seen;
    for (const std::string& pattern : config.targets) {
      const std::vector<hob::Socket*> found = layers(pattern);
      if (found.empty()) {
        std::vector<std::string> names;
        for (const hob::Socket* s : layers("*")) names.push_back(s->name);
        throw hob::Error("targets: '" + pattern + "' matches no linear layer or convolution; " +
                             hob::nearest_names(pattern, names),
                         HOB_ERROR_INVALID);
      }
      for (hob::Socket* socket : found) {
        if (seen.insert(socket).second) result.push_back(socket);
      }
    }
    for (const hob::Socket* socket : result) check_target(*socket);
    return result;
  }

  std::vector<hob::Socket*> layers(const std::string& pattern) const {
    std::vector<hob::Socket*> result = hob::find_sockets(env(), pattern.c_str(), HOB_SOCKET_ANY);
    std::erase_if(result, [](const hob::Socket* s) {
      return s->kind != HOB_SOCKET_LINEAR && s->kind != HOB_SOCKET_CONV;
    });
    return result;
  }

  void check_target(const hob::Socket& socket) const {
    require_dense(socket);
    // Folding an adapter into a shared weight would change the other layer as well.
    for (const hob::Socket* other : hob::find_sockets(env(), "*", HOB_SOCKET_ANY)) {
      if (other != &socket && other->weight == socket.weight) {
        refuse(socket, "shares its weight with '" + std::string(other->name) + "'");
      }
    }
    if (socket.kind != HOB_SOCKET_CONV) return;
    if (const auto groups = static_cast<const hob_conv*>(socket.attributes)->groups; groups != 1) {
      refuse(socket, "is a convolution in " + std::to_string(groups) + " groups");
    }
  }
  static void require_dense(const hob::Socket& socket) {
    if (!socket.weight || !socket.weight->value) {
      refuse(socket, "keeps its weight in another form, put there by another compression");
    }
  }
  [[noreturn]] static void refuse(const hob::Socket& socket, const std::string& why) {
    throw hob::Error("layer '" + std::string(socket.name) + "' " + why +
                         ", so that no adapter can be folded into it: leave it out of targets",
                     HOB_ERROR_INVALID);
  }

  // All that was there before, but for `train` and for what other adapters train.
  void freeze() const {
    std::set<hob::Param*> kept;
    for (const std::string& pattern : config.train) {
      const std::vector<hob::Param*> found = hob::find_params(env(), pattern.c_str());
      if (found.empty()) {
        std::vector<std::string> names;
        for (const hob::Param* p : hob::find_params(env())) names.push_back(p->name);
        throw hob::Error(
            "train: '" + pattern + "' matches no parameter; " + hob::nearest_names(pattern, names),
            HOB_ERROR_INVALID);
      }
      kept.insert(found.begin(), found.end());
    }
    for (hob::Param* p : hob::find_params(env())) {
      const bool ours = p->role == HOB_ROLE_ADAPTER || kept.contains(p);
      if (!ours && p->flags & HOB_PARAM_TRAINABLE) hob::set_trainable(p, false);
    }
  }

  void add_adapter(hob::Socket* socket) {
    std::vector<int64_t> a_shape =
        hob::TensorRef(socket->weight->value).sizes();  // (out, in, k...)
    std::vector<int64_t> b_shape(a_shape.size(), 1);
    b_shape[0] = std::exchange(a_shape[0], config.rank);
    b_shape[1] = config.rank;
    int64_t fan_in = 1;
    for (size_t i = 1; i < a_shape.size(); ++i) fan_in *= a_shape[i];

    const double bound = 1 / std::sqrt(static_cast<double>(fan_in));
    hob::Random random(instance_seed(), hob::key(socket->name));
    std::vector<float> a(static_cast<size_t>(config.rank * fan_in));
    for (float& value : a) value = static_cast<float>(bound * (2 * random.uniform() - 1));
    const std::vector<float> b(static_cast<size_t>(b_shape[0] * config.rank), 0.0f);

    Adapter& adapter = adapters_.emplace_back();
    adapter.socket = socket;
    adapter.a = add_matrix(*socket, ".lora_A.weight", a, a_shape);
    adapter.b = add_matrix(*socket, ".lora_B.weight", b, b_shape);
    adapter.scale = config.alpha / static_cast<double>(config.rank);
    hob::install<branch>(env(), socket, HOB_LINK_BRANCH, &adapter);
  }
  hob::Param* add_matrix(const hob::Socket& socket, const char* suffix,
                         const std::vector<float>& values,
                         const std::vector<int64_t>& shape) const {
    return hob::add_param(env(), std::string(socket.name) + suffix,
                          hob::Tensor::from(values.data(), HOB_FLOAT32, shape), HOB_ROLE_ADAPTER,
                          HOB_PARAM_TRAINABLE);
  }

  // W + scale * B A in float32.
  static hob::Tensor merge(const Adapter& adapter, hob::TensorRef weight) {
    const auto matrix = [](const hob::Param* p) {
      const hob::TensorRef value = p->value;
      return hob::reshape(hob::to_dtype(value, HOB_FLOAT32), {value.size(0), -1});
    };
    const hob::Tensor delta = hob::mm(matrix(adapter.b), matrix(adapter.a));
    return hob::add(hob::to_dtype(weight, HOB_FLOAT32), hob::reshape(delta, weight.sizes()),
                    adapter.scale);
  }

  std::deque<Adapter> adapters_;  // a deque: links point to its elements
};

}  // namespace

HOB_PLUGIN("org.hob.lora", "0.1.0",
           hob::add<Lora>("lora", "Trains low-rank adapters of frozen layers"))
