#include "host/tables/list.h"

#include <ATen/core/List.h>

#include <algorithm>
#include <memory>

namespace hob::host {

at::Tensor take(hob_tensor* handle) {
  const std::unique_ptr<at::Tensor> owned(&tensor_of(handle));
  return std::move(*owned);
}

hob_list* make_list(std::vector<at::Tensor> tensors) {
  auto list = std::make_unique<hob_list>();
  list->has_absent =
      std::any_of(tensors.begin(), tensors.end(), [](const at::Tensor& t) { return !t.defined(); });
  list->value = c10::List<at::Tensor>(tensors);
  return list.release();
}

std::vector<at::Tensor> tensors_of(const hob_list* list) {
  return list->value.toTensorVector();
}

void release_list(hob_list* list) {
  if (list && list->references.fetch_sub(1, std::memory_order_acq_rel) == 1) delete list;
}

}  // namespace hob::host
