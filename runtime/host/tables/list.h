#pragma once

#include <ATen/core/ivalue.h>

#include <atomic>

#include "host/tables/handles.h"

// Kept as the very value that operators take, so that a call copies no tensor of it.
struct hob_list {
  std::atomic<uint32_t> references = 1;
  c10::IValue value;  // c10::List<at::Tensor>
  bool has_absent = false;

  uint32_t size() const { return static_cast<uint32_t>(value.toListRef().size()); }
  const at::Tensor& at(uint32_t index) const { return value.toListRef()[index].toTensor(); }
};
