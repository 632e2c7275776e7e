#pragma once

#include <ATen/ops/embedding.h>

#include <hob/native/layer.h>

namespace hob::native {

struct EmbeddingOperation {
  at::Tensor operator()(const at::Tensor& ids, const at::Tensor& weight,
                        const OptionalTensor&) const {
    return at::embedding(weight, ids);
  }
};

// Rows of name.weight (count, width): ids (...) int64 -> (..., width).
class Embedding : public Layer<EmbeddingOperation> {
 public:
  Embedding(const Scope& scope, int64_t count, int64_t width, const Init& init = init::normal(1))
      : Layer{scope,
              HOB_SOCKET_EMBEDDING,
              scope.parameter("weight", make_value({count, width}, init), HOB_ROLE_EMBEDDING),
              nullptr,
              {}} {}
};

}  // namespace hob::native
