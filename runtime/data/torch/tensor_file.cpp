#include "data/torch/tensor_file.h"

#include <ATen/ops/empty.h>

#include <array>
#include <utility>

#include "base/error.h"

namespace hob::data {
namespace {

constexpr std::array<std::pair<StoredType, at::ScalarType>, 15> kTypes{{
    {StoredType::kBool, at::kBool},
    {StoredType::kU8, at::kByte},
    {StoredType::kI8, at::kChar},
    {StoredType::kF8E4M3, at::kFloat8_e4m3fn},
    {StoredType::kF8E5M2, at::kFloat8_e5m2},
    {StoredType::kI16, at::kShort},
    {StoredType::kU16, at::kUInt16},
    {StoredType::kF16, at::kHalf},
    {StoredType::kBF16, at::kBFloat16},
    {StoredType::kI32, at::kInt},
    {StoredType::kU32, at::kUInt32},
    {StoredType::kF32, at::kFloat},
    {StoredType::kI64, at::kLong},
    {StoredType::kU64, at::kUInt64},
    {StoredType::kF64, at::kDouble},
}};

}  // namespace

StoredType stored_type_of(at::ScalarType type) {
  for (const auto& [stored, scalar] : kTypes) {
    if (scalar == type) return stored;
  }
  throw Error(Fault::kRun, std::string("safetensors has no type for elements of ") +
                               c10::toString(type) + "; convert the tensor first");
}

at::ScalarType scalar_type_of(StoredType type) {
  return kTypes.at(static_cast<size_t>(type)).second;
}

at::Tensor read_tensor(const SafetensorsReader& reader, const StoredTensor& stored) {
  at::Tensor tensor = at::empty(stored.shape, at::TensorOptions(scalar_type_of(stored.type)));
  reader.read(stored, {static_cast<std::byte*>(tensor.data_ptr()), tensor.nbytes()});
  return tensor;
}

NamedTensors read_tensors(const std::filesystem::path& path) {
  const SafetensorsReader reader = SafetensorsReader::open(path);
  NamedTensors result;
  for (const StoredTensor& stored : reader.tensors()) {
    result.emplace(stored.name, read_tensor(reader, stored));
  }
  return result;
}

void write_tensors(const std::filesystem::path& path, const NamedTensors& tensors,
                   Metadata metadata, const Aliases& aliases) {
  std::vector<TensorSource> sources;
  for (const auto& [name, tensor] : tensors) {
    sources.push_back({name, stored_type_of(tensor.scalar_type()), tensor.sizes().vec(),
                       [&tensor](const ByteSink& sink) {
                         const at::Tensor dense = tensor.contiguous();
                         sink({static_cast<const std::byte*>(dense.data_ptr()), dense.nbytes()});
                       }});
  }
  write_safetensors(path, std::move(sources), std::move(metadata), aliases);
}

}  // namespace hob::data
