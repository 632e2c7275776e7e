#pragma once

#include <ATen/core/Tensor.h>

#include <filesystem>
#include <map>
#include <string>

#include "data/safetensors.h"

// Tensors in safetensors files.

namespace hob::data {

using NamedTensors = std::map<std::string, at::Tensor>;

// Throws Error (run) for a type that the format does not know.
StoredType stored_type_of(at::ScalarType type);
at::ScalarType scalar_type_of(StoredType type);

// A tensor of the file, on the CPU, in memory of its own.
at::Tensor read_tensor(const SafetensorsReader& reader, const StoredTensor& stored);
NamedTensors read_tensors(const std::filesystem::path& path);

// Writes CPU tensors of any strides, row-major.
void write_tensors(const std::filesystem::path& path, const NamedTensors& tensors,
                   Metadata metadata = {}, const Aliases& aliases = {});

}  // namespace hob::data
