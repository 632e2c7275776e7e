#pragma once

#include <ATen/ops/scaled_dot_product_attention.h>

#include <hob/native/dropout.h>
#include <hob/native/linear.h>

namespace hob::native {

// Attention of several heads over one sequence: (B, T, width) -> (B, T, width). The linear layers
// q, k, v and out lie below the scope, by the names that the architecture's files have.
class Attention {
 public:
  struct Options {
    int64_t heads = 1;
    int64_t kv_heads = 0;  // fewer heads of k and v, shared by the queries' in turn; 0: as heads
    bool causal = false;   // a position sees itself and those before it
    bool bias = true;
    double dropout = 0;  // of attention weights, in training
    const char* q = "q_proj";
    const char* k = "k_proj";
    const char* v = "v_proj";
    const char* out = "out_proj";
  };

  Attention(const Scope& scope, int64_t width, const Options& options)
      : head_width_(head_width(scope, width, options)),
        causal_(options.causal),
        dropout_(scope, options.dropout),
        q_(scope / options.q, width, width, {.bias = options.bias}),
        k_(scope / options.k, width, kv_width(width, options), {.bias = options.bias}),
        v_(scope / options.v, width, kv_width(width, options), {.bias = options.bias}),
        out_(scope / options.out, width, width, {.bias = options.bias}) {}

  // `mask` (broadcastable to (B, heads, T, T)): bool, true where a position may be seen, or a float
  // that is added to the scores. Not together with causal.
  at::Tensor operator()(const at::Tensor& x, const OptionalTensor& mask = std::nullopt) const {
    const at::Tensor q = split(q_(x));  // (B, heads, T, D)
    const at::Tensor k = split(k_(x));  // (B, kv_heads, T, D)
    const at::Tensor v = split(v_(x));
    const bool grouped = k.size(1) != q.size(1);
    const at::Tensor seen = at::scaled_dot_product_attention(q, k, v, mask, dropout_.probability(),
                                                             causal_, std::nullopt, grouped);
    return out_(seen.transpose(1, 2).flatten(2));
  }

 private:
  static int64_t kv_width(int64_t width, const Options& o) {
    return width / o.heads * (o.kv_heads ? o.kv_heads : o.heads);
  }
  static int64_t head_width(const Scope& scope, int64_t width, const Options& o) {
    const int64_t kv_heads = o.kv_heads ? o.kv_heads : o.heads;
    if (o.heads < 1 || kv_heads < 1 || width % o.heads != 0 || o.heads % kv_heads != 0) {
      throw Error(scope.name() + ": a width of " + std::to_string(width) +
                      " must be a multiple of its " + std::to_string(o.heads) +
                      " heads, and they of the " + std::to_string(kv_heads) + " heads of k and v",
                  HOB_ERROR_INVALID);
    }
    return width / o.heads;
  }
  // The number of heads follows from the tensor's width: pruning may have taken some away.
  at::Tensor split(const at::Tensor& x) const {
    return x.unflatten(-1, {-1, head_width_}).transpose(1, 2);
  }

  int64_t head_width_;
  bool causal_;
  Dropout dropout_;
  Linear q_, k_, v_, out_;
};

}  // namespace hob::native
