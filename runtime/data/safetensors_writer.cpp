#include <algorithm>
#include <set>
#include <tuple>
#include <utility>

#include <nlohmann/json.hpp>

#include "base/error.h"
#include "base/file.h"
#include "base/text.h"
#include "data/safetensors.h"
#include "data/safetensors_header.h"

namespace hob::data {

namespace fs = std::filesystem;

namespace {

using nlohmann::json;

[[noreturn]] void fail(const fs::path& path, const std::string& what) {
  throw Error(Fault::kRun, path.string() + ": " + what);
}

void check_names(const fs::path& path, const std::vector<TensorSource>& tensors,
                 const Metadata& metadata, const Aliases& aliases) {
  std::set<std::string_view> names;
  for (const TensorSource& tensor : tensors) {
    if (tensor.name == kMetadataKey) fail(path, "no tensor may be named __metadata__");
    if (!names.insert(tensor.name).second) {
      fail(path, "two tensors are named " + quote(tensor.name));
    }
  }
  if (metadata.contains(std::string(kAliasesKey))) {
    fail(path, "the metadata key " + std::string(kAliasesKey) + " is the writer's own");
  }
  for (const auto& [alias, target] : aliases) {
    if (names.contains(alias)) {
      fail(path, "alias " + quote(alias) + " is also the name of a tensor");
    }
    if (!names.contains(target)) {
      fail(path, "alias " + quote(alias) + " leads to " + quote(target) +
                     ", which is not among the tensors");
    }
  }
}

// With the header padded to 8 bytes, the widest first leaves every tensor aligned to its elements.
void sort_for_alignment(std::vector<TensorSource>& tensors) {
  std::sort(tensors.begin(), tensors.end(), [](const TensorSource& a, const TensorSource& b) {
    std::uint64_t width_a = stored_type_size(a.type);
    std::uint64_t width_b = stored_type_size(b.type);
    return std::tie(width_b, a.name) < std::tie(width_a, b.name);
  });
}

std::string format_header(const fs::path& path, const std::vector<TensorSource>& tensors,
                          Metadata metadata, const Aliases& aliases) {
  json header = json::object();
  std::uint64_t offset = 0;
  for (const TensorSource& tensor : tensors) {
    std::uint64_t end = offset + checked_bytes(tensor.type, tensor.shape,
                                               path.string() + ": " + quote(tensor.name));
    header[tensor.name] = {{"dtype", stored_type_name(tensor.type)},
                           {"shape", tensor.shape},
                           {"data_offsets", {offset, end}}};
    offset = end;
  }
  std::string text;
  try {
    if (!aliases.empty()) metadata[std::string(kAliasesKey)] = json(aliases).dump();
    if (!metadata.empty()) header[std::string(kMetadataKey)] = metadata;
    text = header.dump();
  } catch (const json::type_error& error) {
    fail(path, std::string("a name or the metadata is not UTF-8: ") + error.what());
  }
  text.resize((text.size() + 7) / 8 * 8, ' ');
  if (text.size() > kMaxHeaderBytes) {
    fail(path, "the header would have " + std::to_string(text.size()) + " bytes; at most " +
                   std::to_string(kMaxHeaderBytes) + " are allowed");
  }
  return text;
}

void write_tensor(AtomicFile& file, const fs::path& path, const TensorSource& tensor) {
  std::uint64_t left = checked_bytes(tensor.type, tensor.shape, path.string());
  tensor.write([&](std::span<const std::byte> bytes) {
    if (bytes.size() > left) {
      fail(path, "more bytes were given for " + quote(tensor.name) + " than its shape takes");
    }
    file.write({reinterpret_cast<const char*>(bytes.data()), bytes.size()});
    left -= bytes.size();
  });
  if (left != 0) {
    fail(path, std::to_string(left) + " bytes were not given of " + quote(tensor.name));
  }
}

}  // namespace

void write_safetensors(const fs::path& path, std::vector<TensorSource> tensors, Metadata metadata,
                       const Aliases& aliases) {
  check_names(path, tensors, metadata, aliases);
  sort_for_alignment(tensors);
  std::string header = format_header(path, tensors, std::move(metadata), aliases);
  std::string prefix;
  for (std::size_t i = 0; i < kPrefixBytes; ++i) {
    prefix += static_cast<char>(header.size() >> (8 * i));
  }
  AtomicFile file(path);
  file.write(prefix);
  file.write(header);
  for (const TensorSource& tensor : tensors) write_tensor(file, path, tensor);
  file.commit();
}

}  // namespace hob::data
