#include "data/torch/feed.h"

#include <ATen/ops/empty.h>
#include <ATen/ops/from_blob.h>
#include <c10/core/StreamGuard.h>
#include <c10/core/impl/VirtualGuardImpl.h>

#include <utility>

namespace hob::data {

Batch::Batch(const MicroBatch& micro, at::Device device) : count_(micro.count) {
  tensors_.reserve(micro.fields.size());
  for (const hob_named_view& field : micro.fields) {
    const hob_view& v = field.view;
    const auto options = at::TensorOptions(static_cast<at::ScalarType>(v.dtype));
    at::Tensor tensor = at::from_blob(v.data, at::IntArrayRef(v.shape, v.rank), options);
    if (!device.is_cpu()) tensor = tensor.to(device, /*non_blocking=*/true);
    tensors_.push_back(std::move(tensor));
  }
  for (size_t i = 0; i < tensors_.size(); ++i) {
    named_.push_back({micro.fields[i].name, reinterpret_cast<hob_tensor*>(&tensors_[i])});
  }
}

Allocate slot_memory(at::Device device) {
  if (device.is_cpu()) return allocate_plain;
  return [](std::size_t bytes) {
    at::Tensor pinned =
        at::empty({static_cast<int64_t>(bytes)}, at::TensorOptions(at::kByte).pinned_memory(true));
    auto* data = static_cast<std::byte*>(pinned.data_ptr());
    return Buffer(data, [pinned](std::byte*) {});  // the deleter's copy holds the memory
  };
}

std::optional<c10::Stream> copy_stream(at::Device device) {
  if (device.is_cpu()) return std::nullopt;
  return c10::impl::VirtualGuardImpl(device.type()).getStreamFromGlobalPool(device);
}

Feed::Feed(Loader& loader, at::Device device, std::optional<c10::Stream> copies)
    : loader_(loader), device_(device), copies_(copies) {}

std::optional<FeedStep> Feed::fetch() {
  auto window = loader_.next_window();
  if (!window) return std::nullopt;
  std::vector<Batch> batches;
  const auto bring_all = [&] {
    for (const MicroBatch& micro : window->micro_batches()) batches.emplace_back(micro, device_);
  };
  if (device_.is_cpu()) {
    bring_all();
    return FeedStep{std::move(*window), std::move(batches), CopyGuard()};
  }
  const c10::StreamGuard on_stream(*copies_);
  bring_all();
  c10::Event copied(device_.type());
  copied.record(*copies_);
  return FeedStep{std::move(*window), std::move(batches), CopyGuard(std::move(copied))};
}

std::optional<FeedStep> Feed::next() {
  if (device_.is_cpu()) return fetch();
  if (ahead_failed_) std::rethrow_exception(std::exchange(ahead_failed_, nullptr));
  if (!ahead_) ahead_ = fetch();
  if (!ahead_) return std::nullopt;
  FeedStep now = std::move(*ahead_);
  const c10::impl::VirtualGuardImpl guard(device_.type());
  const c10::Stream compute = guard.getStream(device_);
  now.copies.block(compute);
  for (const Batch& batch : now.batches) {
    for (const hob_named_tensor& t : batch.tensors()) {
      // Made on the copying stream, used on this one: the allocator must know of both.
      guard.recordDataPtrOnStream(reinterpret_cast<at::Tensor*>(t.tensor)->storage().data_ptr(),
                                  compute);
    }
  }
  ahead_.reset();
  try {
    ahead_ = fetch();
  } catch (...) {
    ahead_failed_ = std::current_exception();
  }
  return now;
}

}  // namespace hob::data
