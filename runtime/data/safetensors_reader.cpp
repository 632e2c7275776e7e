#include <algorithm>
#include <map>
#include <set>
#include <stdexcept>
#include <system_error>
#include <utility>

#include "base/error.h"
#include "base/file.h"
#include "base/text.h"
#include "data/file_name.h"
#include "data/input_file.h"
#include "data/safetensors.h"
#include "data/safetensors_header.h"
#include "data/strict_json.h"

namespace hob::data {

namespace fs = std::filesystem;

struct SafetensorsReader::Impl {
  std::vector<InputFile> inputs;
  std::vector<fs::path> files;
  std::vector<StoredTensor> tensors;  // by name
  Aliases aliases;
  Metadata metadata;
};

namespace {

constexpr std::string_view kIndexName = "model.safetensors.index.json";
constexpr std::string_view kSingleName = "model.safetensors";
constexpr std::size_t kMaxListed = 5;

// Tensor name -> shard's file name.
using WeightMap = std::map<std::string, std::string>;

[[noreturn]] void fail(const fs::path& path, const std::string& what) {
  throw Error(Fault::kUsage, path.string() + ": " + what);
}

// "'a', 'b', 'c' and 4 more"
std::string list_names(const std::vector<std::string>& names) {
  std::size_t shown = std::min(names.size(), kMaxListed);
  std::string text = quote_all(std::span(names).first(shown));
  return shown == names.size() ? text
                               : text + " and " + std::to_string(names.size() - shown) + " more";
}

WeightMap parse_index(const fs::path& path) {
  constexpr JsonLimits kLimits{.depth = 8, .array_items = 1024, .text_bytes = kMaxHeaderBytes};
  auto document =
      parse_strict_json(read_file(path, kLimits.text_bytes, Fault::kUsage), path.string(), kLimits);
  if (!document.is_object() || !document.contains("weight_map") ||
      !document["weight_map"].is_object()) {
    fail(path, "an index of shards is an object with an object 'weight_map'");
  }
  WeightMap map;
  for (const auto& [tensor, shard] : document["weight_map"].items()) {
    if (!shard.is_string()) {
      fail(path, "weight_map: the shard of " + quote(tensor) + " is not a string");
    }
    const auto& name = shard.get_ref<const std::string&>();
    if (!is_plain_file_name(name)) {
      fail(path, "weight_map: the shard of " + quote(tensor) + " is " + quote(name) +
                     "; the name of a file beside the index was expected");
    }
    map.emplace(tensor, name);
  }
  return map;
}

// The shards that the index names, once each; all must be there.
std::vector<fs::path> find_shards(const fs::path& index, const WeightMap& map) {
  std::set<std::string> names;
  for (const auto& [tensor, shard] : map) names.insert(shard);
  std::vector<fs::path> paths;
  std::vector<std::string> missing;
  for (const std::string& name : names) {
    paths.push_back(index.parent_path() / name);
    std::error_code error;
    if (!fs::exists(paths.back(), error)) missing.push_back(name);
  }
  if (!missing.empty()) {
    fail(index, std::to_string(missing.size()) + " of " + std::to_string(names.size()) +
                    " shards are missing: " + list_names(missing));
  }
  return paths;
}

// Every tensor of the index lies in the shard that it names, and every tensor of a shard (or its
// alias) is in the index.
void check_index(const fs::path& index, const WeightMap& map,
                 const std::map<std::string, std::set<std::string>>& names_by_shard,
                 const std::vector<StoredTensor>& tensors) {
  std::vector<std::string> missing;
  for (const auto& [tensor, shard] : map) {
    if (!names_by_shard.at(shard).contains(tensor)) missing.push_back(shard + ": " + tensor);
  }
  if (!missing.empty()) {
    fail(index, std::to_string(missing.size()) +
                    " tensors are not in the shard that weight_map names: " + list_names(missing));
  }
  std::vector<std::string> unnamed;
  for (const StoredTensor& tensor : tensors) {
    if (!map.contains(tensor.name)) unnamed.push_back(tensor.name);
  }
  if (!unnamed.empty()) {
    fail(index, std::to_string(unnamed.size()) + " tensors of the shards are not in weight_map: " +
                    list_names(unnamed) + "; index and shards are of different models");
  }
}

// The file to read for a path that the user gave.
fs::path resolve_path(const fs::path& path) {
  std::error_code error;
  if (!fs::is_directory(path, error)) return path;
  for (std::string_view name : {kIndexName, kSingleName}) {
    if (fs::exists(path / name, error)) return path / name;
  }
  fail(path,
       "the folder holds neither " + std::string(kIndexName) + " nor " + std::string(kSingleName));
}

bool is_index(const fs::path& path) {
  return path.extension() == ".json";
}

}  // namespace

SafetensorsReader SafetensorsReader::open(const fs::path& given) {
  fs::path path = resolve_path(given);
  WeightMap map;
  std::vector<fs::path> files = {path};
  if (is_index(path)) {
    map = parse_index(path);
    files = find_shards(path, map);
  }

  auto impl = std::make_unique<Impl>();
  std::map<std::string, std::set<std::string>> names_by_shard;
  std::map<std::string, std::string> shard_of;
  for (const fs::path& file : files) {
    const InputFile& input = impl->inputs.emplace_back(file);
    SafetensorsHeader header = read_safetensors_header(input, impl->files.size());
    impl->files.push_back(file);
    std::string shard = file.filename().string();
    auto claim = [&](const std::string& name) {
      auto [it, is_new] = shard_of.emplace(name, shard);
      if (!is_new) fail(path, quote(name) + " is in " + it->second + " and in " + shard);
      names_by_shard[shard].insert(name);
    };
    for (StoredTensor& tensor : header.tensors) {
      claim(tensor.name);
      impl->tensors.push_back(std::move(tensor));
    }
    for (const auto& [alias, target] : header.aliases) claim(alias);
    impl->aliases.merge(header.aliases);
    impl->metadata.merge(header.metadata);
    names_by_shard[shard];  // a shard may be empty
  }
  if (is_index(path)) check_index(path, map, names_by_shard, impl->tensors);
  std::sort(impl->tensors.begin(), impl->tensors.end(),
            [](const StoredTensor& a, const StoredTensor& b) { return a.name < b.name; });
  return SafetensorsReader(std::move(impl));
}

SafetensorsReader::SafetensorsReader(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}
SafetensorsReader::SafetensorsReader(SafetensorsReader&&) noexcept = default;
SafetensorsReader& SafetensorsReader::operator=(SafetensorsReader&&) noexcept = default;
SafetensorsReader::~SafetensorsReader() = default;

const std::vector<StoredTensor>& SafetensorsReader::tensors() const {
  return impl_->tensors;
}
const Aliases& SafetensorsReader::aliases() const {
  return impl_->aliases;
}
const Metadata& SafetensorsReader::metadata() const {
  return impl_->metadata;
}
const std::vector<fs::path>& SafetensorsReader::files() const {
  return impl_->files;
}

const StoredTensor* SafetensorsReader::find(std::string_view name) const {
  if (auto alias = impl_->aliases.find(std::string(name)); alias != impl_->aliases.end()) {
    name = alias->second;
  }
  auto it = std::lower_bound(
      impl_->tensors.begin(), impl_->tensors.end(), name,
      [](const StoredTensor& tensor, std::string_view wanted) { return tensor.name < wanted; });
  return it != impl_->tensors.end() && it->name == name ? &*it : nullptr;
}

void SafetensorsReader::read(const StoredTensor& tensor, std::span<std::byte> out,
                             std::uint64_t from) const {
  if (from > tensor.bytes || out.size() > tensor.bytes - from) {
    throw std::logic_error("read beyond the end of tensor " + tensor.name);
  }
  impl_->inputs.at(tensor.file).read_at(tensor.offset + from, out);
}

std::vector<std::byte> SafetensorsReader::read(const StoredTensor& tensor) const {
  std::vector<std::byte> bytes(tensor.bytes);
  read(tensor, bytes);
  return bytes;
}

}  // namespace hob::data
