#include "data/safetensors_header.h"

#include <algorithm>
#include <array>
#include <limits>
#include <set>
#include <span>
#include <tuple>

#include "base/error.h"
#include "base/text.h"
#include "data/strict_json.h"

namespace hob::data {

namespace {

using nlohmann::json;

// { "name": { "shape": [ ... ] } }
constexpr JsonLimits kHeaderLimits{.depth = 3, .array_items = 64, .text_bytes = kMaxHeaderBytes};

struct TypeEntry {
  StoredType type;
  std::string_view name;
  std::uint64_t bytes;
};

constexpr std::array kTypes = {
    TypeEntry{StoredType::kBool, "BOOL", 1},      TypeEntry{StoredType::kU8, "U8", 1},
    TypeEntry{StoredType::kI8, "I8", 1},          TypeEntry{StoredType::kF8E4M3, "F8_E4M3", 1},
    TypeEntry{StoredType::kF8E5M2, "F8_E5M2", 1}, TypeEntry{StoredType::kI16, "I16", 2},
    TypeEntry{StoredType::kU16, "U16", 2},        TypeEntry{StoredType::kF16, "F16", 2},
    TypeEntry{StoredType::kBF16, "BF16", 2},      TypeEntry{StoredType::kI32, "I32", 4},
    TypeEntry{StoredType::kU32, "U32", 4},        TypeEntry{StoredType::kF32, "F32", 4},
    TypeEntry{StoredType::kI64, "I64", 8},        TypeEntry{StoredType::kU64, "U64", 8},
    TypeEntry{StoredType::kF64, "F64", 8},
};

[[noreturn]] void fail(const std::string& where, const std::string& what) {
  throw Error(Fault::kUsage, where + ": " + what);
}

const TypeEntry& entry_of(StoredType type) {
  return *std::find_if(kTypes.begin(), kTypes.end(),
                       [&](const TypeEntry& entry) { return entry.type == type; });
}

std::string known_types() {
  std::string names;
  for (const TypeEntry& entry : kTypes) {
    names += (names.empty() ? "" : ", ") + std::string(entry.name);
  }
  return names;
}

// A member of a tensor's entry that must be there.
const json& member(const json& entry, const char* key, const std::string& where) {
  auto it = entry.find(key);
  if (it == entry.end()) fail(where, std::string("has no '") + key + "'");
  return *it;
}

std::vector<std::int64_t> parse_integers(const json& list, const char* key,
                                         const std::string& where) {
  if (!list.is_array()) fail(where, std::string("'") + key + "' is not a list");
  std::vector<std::int64_t> values;
  values.reserve(list.size());
  for (const json& item : list) {
    // A negative, fractional or too large number is not "unsigned" to the parser.
    if (!item.is_number_unsigned() ||
        item.get<std::uint64_t>() > std::numeric_limits<std::int64_t>::max()) {
      fail(where, std::string("'") + key + "' holds " + quote(item.dump()) +
                      "; only integers from 0 to 2^63 - 1 may stand there");
    }
    values.push_back(item.get<std::int64_t>());
  }
  return values;
}

StoredTensor parse_tensor(const std::string& name, const json& entry, const std::string& where) {
  if (!entry.is_object()) fail(where, "its header entry is not an object");
  StoredTensor tensor;
  tensor.name = name;

  const json& type = member(entry, "dtype", where);
  if (!type.is_string()) fail(where, "'dtype' is not a string");
  std::optional<StoredType> parsed = parse_stored_type(type.get_ref<const std::string&>());
  if (!parsed) {
    fail(where, "has the element type " + quote(type.get_ref<const std::string&>()) +
                    "; known are " + known_types());
  }
  tensor.type = *parsed;
  tensor.shape = parse_integers(member(entry, "shape", where), "shape", where);
  tensor.bytes = checked_bytes(tensor.type, tensor.shape, where);

  auto offsets = parse_integers(member(entry, "data_offsets", where), "data_offsets", where);
  if (offsets.size() != 2) {
    fail(where, "'data_offsets' has " + std::to_string(offsets.size()) +
                    " entries; [begin, end] was expected");
  }
  if (offsets[0] > offsets[1]) {
    fail(where, "its bytes begin at " + std::to_string(offsets[0]) + ", after their end at " +
                    std::to_string(offsets[1]));
  }
  auto covered = static_cast<std::uint64_t>(offsets[1] - offsets[0]);
  if (covered != tensor.bytes) {
    fail(where, "its offsets cover " + std::to_string(covered) + " bytes, but its shape " +
                    member(entry, "shape", where).dump() + " of " +
                    std::string(stored_type_name(tensor.type)) + " takes " +
                    std::to_string(tensor.bytes));
  }
  tensor.offset = static_cast<std::uint64_t>(offsets[0]);  // within the data, until placed
  return tensor;
}

// The tensors must follow one another without a gap or an overlap, and end with the file.
void check_coverage(std::vector<StoredTensor>& tensors, std::uint64_t data_bytes,
                    const std::string& file) {
  std::sort(tensors.begin(), tensors.end(), [](const StoredTensor& a, const StoredTensor& b) {
    // Tensors without bytes come before the one that begins at the same place.
    return std::tie(a.offset, a.bytes, a.name) < std::tie(b.offset, b.bytes, b.name);
  });
  std::uint64_t end = 0;
  for (const StoredTensor& tensor : tensors) {
    if (tensor.offset != end) {
      fail(file + ": tensor " + quote(tensor.name),
           "its bytes begin at " + std::to_string(tensor.offset) + " of the data, " +
               (tensor.offset < end ? "inside the tensor before it, which ends at "
                                    : "but the tensor before it ends at ") +
               std::to_string(end));
    }
    end = tensor.offset + tensor.bytes;
  }
  if (end > data_bytes) {
    fail(file, "the file is cut short: " + std::to_string(end - data_bytes) +
                   " bytes are missing of the " + std::to_string(end) +
                   " that its tensors take; copy or download it again");
  }
  if (end < data_bytes) {
    fail(file, std::to_string(data_bytes - end) +
                   " bytes follow the last tensor; the tensors must cover the whole file");
  }
}

Metadata parse_metadata(const json& value, const std::string& where) {
  Metadata metadata;
  if (value.is_null()) return metadata;
  if (!value.is_object()) {
    fail(where, "is a JSON " + std::string(value.type_name()) + "; an object was expected");
  }
  for (const auto& [key, text] : value.items()) {
    if (!text.is_string()) {
      fail(where, "the value of " + quote(key) + " is a JSON " + std::string(text.type_name()) +
                      "; a string was expected");
    }
    metadata.emplace(key, text.get_ref<const std::string&>());
  }
  return metadata;
}

// Moves the aliases' note out of the metadata.
Aliases take_aliases(Metadata& metadata, const std::vector<StoredTensor>& tensors,
                     const std::string& where) {
  Aliases aliases;
  auto note = metadata.extract(std::string(kAliasesKey));
  if (note.empty()) return aliases;
  std::set<std::string_view> names;
  for (const StoredTensor& tensor : tensors) names.insert(tensor.name);
  json parsed = parse_strict_json(note.mapped(), where, kHeaderLimits);
  if (!parsed.is_object()) fail(where, "is not a JSON object");
  for (const auto& [alias, target] : parsed.items()) {
    std::string quoted = quote(alias);
    if (!target.is_string()) fail(where, "the value of " + quoted + " is not a string");
    const auto& name = target.get_ref<const std::string&>();
    if (names.contains(alias)) fail(where, quoted + " is itself stored in the file");
    if (!names.contains(name)) {
      fail(where, quoted + " leads to " + quote(name) + ", which is not in the file");
    }
    aliases.emplace(alias, name);
  }
  return aliases;
}

// The header's text, between the length and the data.
std::string read_header_text(const InputFile& file, const std::string& where) {
  if (file.size() < kPrefixBytes) {
    fail(where, "has " + std::to_string(file.size()) +
                    " bytes; a safetensors file begins with 8 bytes of header length");
  }
  std::array<std::byte, kPrefixBytes> prefix{};
  file.read_at(0, prefix);
  std::uint64_t length = 0;
  for (std::size_t i = kPrefixBytes; i-- > 0;) {
    length = length << 8 | std::to_integer<std::uint64_t>(prefix[i]);
  }
  if (length == 0) {
    fail(
        where,
        "not a valid safetensors file: its first 8 bytes are zeros; a file full of zeros is what a "
        "write leaves that never reached the disk");
  }
  if (length > kMaxHeaderBytes) {
    fail(where, "not a safetensors file: its first 8 bytes say that the header has " +
                    std::to_string(length) + " bytes; at most " + std::to_string(kMaxHeaderBytes) +
                    " are allowed");
  }
  if (length > file.size() - kPrefixBytes) {
    fail(where, "the file is cut short: " + std::to_string(length - (file.size() - kPrefixBytes)) +
                    " bytes are missing of the header's " + std::to_string(length) +
                    "; copy or download it again");
  }
  std::string text(length, '\0');
  file.read_at(kPrefixBytes, std::as_writable_bytes(std::span(text)));
  if (text.front() != '{')
    fail(where, "not a safetensors file: its header does not begin with '{'");
  return text;
}

}  // namespace

std::string_view stored_type_name(StoredType type) {
  return entry_of(type).name;
}

std::uint64_t stored_type_size(StoredType type) {
  return entry_of(type).bytes;
}

std::optional<StoredType> parse_stored_type(std::string_view name) {
  for (const TypeEntry& entry : kTypes) {
    if (entry.name == name) return entry.type;
  }
  return std::nullopt;
}

std::uint64_t checked_bytes(StoredType type, const std::vector<std::int64_t>& shape,
                            const std::string& where) {
  constexpr std::uint64_t kMax = std::numeric_limits<std::int64_t>::max();
  std::uint64_t bytes = stored_type_size(type);
  for (std::int64_t size : shape) {
    if (size < 0) fail(where, "its shape holds " + std::to_string(size));
    auto factor = static_cast<std::uint64_t>(size);
    if (factor != 0 && bytes > kMax / factor) {
      fail(where, "its shape takes more than 2^63 - 1 bytes");
    }
    bytes *= factor;
  }
  return bytes;
}

SafetensorsHeader read_safetensors_header(const InputFile& file, std::size_t file_index) {
  const std::string where = file.path().string();
  std::string text = read_header_text(file, where);
  json document = parse_strict_json(text, where + ": header", kHeaderLimits);
  std::uint64_t data_start = kPrefixBytes + text.size();

  SafetensorsHeader header;
  for (const auto& [name, entry] : document.items()) {
    if (name == kMetadataKey) {
      header.metadata = parse_metadata(entry, where + ": __metadata__");
    } else {
      header.tensors.push_back(parse_tensor(name, entry, where + ": tensor " + quote(name)));
    }
  }
  check_coverage(header.tensors, file.size() - data_start, where);
  for (StoredTensor& tensor : header.tensors) {
    tensor.file = file_index;
    tensor.offset += data_start;
  }
  header.aliases = take_aliases(header.metadata, header.tensors,
                                where + ": __metadata__: " + std::string(kAliasesKey));
  return header;
}

}  // namespace hob::data
