#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace hob::data {

// The safetensors format (https://huggingface.co/docs/safetensors): 8 bytes of header length
// (little endian), a JSON header, the tensors' bytes. No LibTorch here: bytes, element types,
// shapes.

enum class StoredType {
  kBool,
  kU8,
  kI8,
  kF8E4M3,
  kF8E5M2,
  kI16,
  kU16,
  kF16,
  kBF16,
  kI32,
  kU32,
  kF32,
  kI64,
  kU64,
  kF64,
};

// The format's own spelling: "BF16", "F8_E4M3".
std::string_view stored_type_name(StoredType type);
std::optional<StoredType> parse_stored_type(std::string_view name);
// Bytes of one element.
std::uint64_t stored_type_size(StoredType type);

using Metadata = std::map<std::string, std::string>;
// A name that shares another tensor's storage -> the name under which it is stored.
using Aliases = std::map<std::string, std::string>;

// The metadata key under which `write_safetensors` notes the aliases, as a JSON object of strings.
inline constexpr std::string_view kAliasesKey = "hob.aliases";

// A tensor of a file, row-major.
struct StoredTensor {
  std::string name;
  StoredType type = StoredType::kF32;
  std::vector<std::int64_t> shape;  // empty: a scalar; a 0 in it: no elements
  std::uint64_t bytes = 0;
  std::size_t file = 0;      // index into SafetensorsReader::files()
  std::uint64_t offset = 0;  // of its first byte, in that file; not necessarily aligned
};

// Named tensors over one file, or over the shards that an index lists. Opening checks everything
// that can be known without the tensors' bytes: lengths, types, shapes, and that the tensors cover
// each file's data exactly. Nothing of a file is trusted before.
class SafetensorsReader {
 public:
  // `path` is a .safetensors file, a *.safetensors.index.json, or a folder that holds
  // model.safetensors.index.json or model.safetensors. Throws Error (usage) with the file, the
  // tensor, what was found and what was expected. Rules where the format leaves a choice:
  // `__metadata__` may be absent, {} or null, otherwise it maps strings to strings; bytes that no
  // tensor covers are refused; an index must name every tensor of its shards, its shards lie
  // beside it, other files in the folder are ignored, and its `total_size` is not looked at (files
  // in circulation have it wrong).
  static SafetensorsReader open(const std::filesystem::path& path);

  SafetensorsReader(SafetensorsReader&&) noexcept;
  SafetensorsReader& operator=(SafetensorsReader&&) noexcept;
  ~SafetensorsReader();

  // By name; each stored tensor once, aliases not among them.
  const std::vector<StoredTensor>& tensors() const;
  const Aliases& aliases() const;
  // Of all files, without the aliases' note; where shards differ the first one's value.
  const Metadata& metadata() const;
  const std::vector<std::filesystem::path>& files() const;

  // The tensor of that name, also through an alias; null when there is none. The result lives as
  // long as the reader: two names that share storage give the same pointer.
  const StoredTensor* find(std::string_view name) const;

  // Copies the tensor's bytes, from byte `from` on, into `out`; any thread. Copying makes data that
  // is not aligned in the file safe to use, and no later truncation of the file can fault. Throws
  // Error (run) where the file cannot be read.
  void read(const StoredTensor& tensor, std::span<std::byte> out, std::uint64_t from = 0) const;
  std::vector<std::byte> read(const StoredTensor& tensor) const;

 private:
  struct Impl;
  explicit SafetensorsReader(std::unique_ptr<Impl> impl);
  std::unique_ptr<Impl> impl_;
};

using ByteSink = std::function<void(std::span<const std::byte>)>;

// A tensor to be written. `write` is called once, when its turn in the file comes, and hands its
// row-major little-endian bytes to the sink in as many pieces as it likes: only one tensor need be
// in host memory at a time.
struct TensorSource {
  std::string name;
  StoredType type = StoredType::kF32;
  std::vector<std::int64_t> shape;
  std::function<void(const ByteSink& sink)> write;
};

// Writes a file: header padded to 8 bytes, tensors by element size (widest first) and name, so that
// every one is aligned and equal input gives equal bytes. No tensors at all is a valid file. The
// aliases are noted in the metadata, and resolved by SafetensorsReader; other readers see the
// stored names only. It is an AtomicFile: one that is already at `path` stays as it is until the
// new one is complete, and nothing partial is left. Throws Error (run) with path and cause; what a
// `write` throws passes through.
void write_safetensors(const std::filesystem::path& path, std::vector<TensorSource> tensors,
                       Metadata metadata = {}, const Aliases& aliases = {});

}  // namespace hob::data
