#include "train/store/checksums.h"

#include <cstdint>
#include <map>
#include <system_error>

#include <nlohmann/json.hpp>

#include "base/error.h"
#include "base/file.h"
#include "base/sha256.h"
#include "base/text.h"
#include "data/file_name.h"
#include "data/strict_json.h"

namespace hob::train {

namespace fs = std::filesystem;

namespace {

using nlohmann::json;

constexpr int kFormat = 1;
// {"files":{"name":{"bytes":1}}}
constexpr data::JsonLimits kLimits{.depth = 3, .text_bytes = 16'000'000};

struct FileRecord {
  std::uint64_t bytes = 0;
  std::string sha256;
};

[[noreturn]] void fail(const fs::path& dir, const std::string& what) {
  throw Error(Fault::kRun, quote(dir.string()) + " is not a valid checkpoint: " + what);
}

std::map<std::string, FileRecord> read_checksums(const fs::path& dir) {
  const std::string name = kChecksumsName;
  json document;
  try {
    document = data::parse_strict_json(read_file(dir / name, kLimits.text_bytes), name, kLimits);
  } catch (const Error& error) {
    fail(dir, error.what());
  }
  if (!document.is_object() || document.value("format", json()) != kFormat ||
      !document.value("files", json()).is_object()) {
    fail(dir, name + ": an object with 'format' " + std::to_string(kFormat) +
                  " and an object 'files' was expected");
  }
  std::map<std::string, FileRecord> records;
  for (const auto& [file, record] : document["files"].items()) {
    if (!data::is_plain_file_name(file) || !record.is_object() ||
        !record.value("bytes", json()).is_number_unsigned() ||
        !record.value("sha256", json()).is_string()) {
      fail(dir, name + ": the record of " + quote(file) + " is not one of size and SHA-256");
    }
    records[file] = {record["bytes"].get<std::uint64_t>(), record["sha256"].get<std::string>()};
  }
  return records;
}

}  // namespace

void write_checksums(const fs::path& dir, std::span<const std::string> names) {
  json files = json::object();
  for (const std::string& name : names) {
    fs::path path = dir / name;
    std::error_code error;
    std::uint64_t bytes = fs::file_size(path, error);
    if (error)
      throw Error(Fault::kRun, "cannot read " + quote(path.string()) + ": " + error.message());
    files[name] = {{"bytes", bytes}, {"sha256", sha256_of_file(path)}};
  }
  json document = {{"format", kFormat}, {"files", std::move(files)}};
  write_file_atomic(dir / kChecksumsName, document.dump(2) + "\n");
}

void check_files(const fs::path& dir, Thoroughness thoroughness) {
  for (const auto& [name, record] : read_checksums(dir)) {
    std::error_code error;
    std::uint64_t bytes = fs::file_size(dir / name, error);
    if (error) fail(dir, name + ": " + error.message());
    if (bytes != record.bytes) {
      fail(dir, name + " has " + std::to_string(bytes) + " bytes; it was written with " +
                    std::to_string(record.bytes));
    }
    if (thoroughness == Thoroughness::kSizes) continue;
    if (std::string found = sha256_of_file(dir / name); found != record.sha256) {
      fail(dir, name + " is not as it was written: its SHA-256 is " + found + ", expected " +
                    record.sha256);
    }
  }
}

}  // namespace hob::train
