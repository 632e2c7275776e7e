#pragma once

#include <optional>
#include <string>
#include <vector>

#include "host/elf_file.h"
#include "recipe/component_schema.h"

namespace hob::host {

// The LibTorch that a native plugin was made with, or that this hob runs on.
struct TorchBuild {
  std::string version;  // "2.11.0"
  std::string git;      // COMMIT_SHA of its caffe2/core/macros.h
  std::string cuda;     // "13.0"; "" for a build without CUDA
  int cxx11_abi = 1;

  bool operator==(const TorchBuild&) const = default;
};

enum class Tier {
  kStable,  // opaque tensors, the host's operator table, no symbol of LibTorch
  kNative,  // at::Tensor; bound to one LibTorch build
};

// All that a plugin declares of itself in its ELF notes.
struct PluginDescriptor {
  std::string id;       // "org.example.signsgd"
  std::string version;  // "1.0.0"
  int sdk_major = 0;
  int sdk_minor = 0;
  Tier tier = Tier::kStable;
  std::optional<TorchBuild> torch;  // of the native tier
  std::vector<recipe::ComponentSchema> components;
  std::vector<std::string> operator_schemas;  // of the operators it uses; sorted, no duplicates
  std::vector<std::string> host_interfaces;  // "hob.sockets/1" that it calls; sorted, no duplicates
};

// True when the file carries a note of hob: without one it is some other library.
bool has_hob_note(const ElfFile& elf);

// Reads and checks the notes. Throws hob::Error (kPlugin) that names the place in the descriptor,
// what stands there and what was expected; the caller adds which file it was. Keys that this hob
// does not know are passed over, so that the format can grow. Whether this hob can serve the
// plugin (SDK, interfaces, kinds, LibTorch) is not judged here: see compatibility.h.
PluginDescriptor read_descriptor(const ElfFile& elf);

}  // namespace hob::host
