#include "train/store/checkpoint_store.h"

#include <algorithm>
#include <charconv>
#include <set>
#include <stdexcept>
#include <string_view>
#include <system_error>
#include <utility>

#include "base/error.h"
#include "base/file.h"
#include "base/text.h"
#include "data/file_name.h"
#include "train/store/checksums.h"

namespace hob::train {

namespace fs = std::filesystem;

namespace {

// Names of what an interrupted call may leave; recover() knows what to do with each.
constexpr std::string_view kPartial = ".tmp-";    // being written: worthless
constexpr std::string_view kReplaced = ".old-";   // whole, until the new one has its name
constexpr std::string_view kRemoved = ".trash-";  // no longer wanted
constexpr std::string_view kDamaged = "damaged-";

void check(const std::error_code& error, const char* action, const fs::path& path) {
  if (error) {
    throw Error(Fault::kRun, std::string("cannot ") + action + " " + quote(path.string()) + ": " +
                                 error.message());
  }
}

void remove_tree(const fs::path& path) {
  std::error_code error;
  fs::remove_all(path, error);
  check(error, "remove", path);
}

void rename_folder(const fs::path& from, const fs::path& to) {
  std::error_code error;
  fs::rename(from, to, error);
  check(error, ("rename to " + quote(to.filename().string())).c_str(), from);
}

std::optional<std::uint64_t> parse_number(std::string_view name) {
  std::uint64_t number = 0;
  auto [end, error] = std::from_chars(name.data(), name.data() + name.size(), number);
  if (error != std::errc() || end != name.data() + name.size()) return std::nullopt;
  return number;
}

bool has_prefix(std::string_view name, std::string_view prefix) {
  return name.substr(0, prefix.size()) == prefix;
}

// What a folder holds; nothing where it does not exist.
std::vector<fs::path> entries_of(const fs::path& dir) {
  std::vector<fs::path> paths;
  std::error_code error;
  fs::directory_iterator entries(dir, error);
  if (error == std::errc::no_such_file_or_directory) return paths;
  while (!error && entries != fs::directory_iterator()) {
    paths.push_back(entries->path());
    entries.increment(error);
  }
  check(error, "list", dir);
  return paths;
}

void check_names(std::span<const CheckpointFile> files) {
  std::set<std::string_view> names = {kChecksumsName};
  for (const CheckpointFile& file : files) {
    if (!data::is_plain_file_name(file.name) || !names.insert(file.name).second) {
      throw std::logic_error("a checkpoint cannot hold a file named '" + file.name + "'");
    }
  }
}

// Fills a new folder, and puts it on the disk.
void write_folder(const fs::path& dir, std::span<const CheckpointFile> files) {
  std::error_code error;
  fs::create_directory(dir, error);
  check(error, "create", dir);
  std::vector<std::string> names;
  for (const CheckpointFile& file : files) {
    file.write(dir / file.name);
    sync_file(dir / file.name);
    names.push_back(file.name);
  }
  write_checksums(dir, names);
  sync_folder(dir);
}

}  // namespace

CheckpointStore::CheckpointStore(const fs::path& run_dir) : dir_(run_dir / "checkpoints") {}

std::map<std::uint64_t, fs::path> CheckpointStore::scan() const {
  std::map<std::uint64_t, fs::path> found;
  for (const fs::path& path : entries_of(dir_)) {
    std::string name = path.filename().string();
    auto number = parse_number(name);
    std::error_code ignored;
    if (!number || !fs::is_directory(path, ignored)) continue;
    // Of "100" and "0100", the former is the store's own spelling.
    auto [it, is_new] = found.emplace(*number, path);
    if (!is_new && name == std::to_string(*number)) it->second = path;
  }
  return found;
}

void CheckpointStore::recover() {
  for (const fs::path& path : entries_of(dir_)) {
    std::string name = path.filename().string();
    std::error_code ignored;
    if (has_prefix(name, kReplaced) && !fs::exists(dir_ / name.substr(kReplaced.size()), ignored)) {
      rename_folder(path, dir_ / name.substr(kReplaced.size()));
    } else if (has_prefix(name, kReplaced) || has_prefix(name, kPartial) ||
               has_prefix(name, kRemoved)) {
      remove_tree(path);
    }
  }
}

Checkpoint CheckpointStore::save(std::uint64_t update, std::span<const CheckpointFile> files) {
  check_names(files);
  std::error_code error;
  if (fs::create_directories(dir_, error)) sync_folder(dir_.parent_path());
  check(error, "create", dir_);

  const std::string number = std::to_string(update);
  const fs::path target = dir_ / number;
  const fs::path partial = dir_ / (std::string(kPartial) + number);
  const fs::path replaced = dir_ / (std::string(kReplaced) + number);
  remove_tree(partial);
  try {
    write_folder(partial, files);
    if (fs::exists(target, error)) {
      remove_tree(replaced);
      rename_folder(target, replaced);
    }
    rename_folder(partial, target);
    sync_folder(dir_);
  } catch (...) {
    // The first error is the one to report, so that those of the way back are not.
    fs::remove_all(partial, error);
    if (!fs::exists(target, error)) fs::rename(replaced, target, error);
    throw;
  }
  last_saved_ = update;
  remove_tree(replaced);
  return {update, target};
}

std::vector<std::uint64_t> CheckpointStore::list() const {
  std::vector<std::uint64_t> numbers;
  for (const auto& [number, path] : scan()) numbers.push_back(number);
  return numbers;
}

Checkpoint CheckpointStore::at(std::uint64_t update) const {
  auto found = scan();
  auto it = found.find(update);
  if (it == found.end()) {
    std::vector<std::string> numbers;
    for (const auto& [number, path] : found) numbers.push_back(std::to_string(number));
    throw Error(Fault::kUsage, quote(dir_.string()) + " has no checkpoint " +
                                   std::to_string(update) + "; there are: " + quote_all(numbers));
  }
  return {update, it->second};
}

void CheckpointStore::verify(std::uint64_t update) const {
  check_files(at(update).dir, Thoroughness::kChecksums);
}

std::optional<Checkpoint> CheckpointStore::latest_complete(const OnDamaged& on_damaged) const {
  auto found = scan();
  for (auto it = found.rbegin(); it != found.rend(); ++it) {
    Checkpoint checkpoint{it->first, it->second};
    try {
      check_files(checkpoint.dir, Thoroughness::kChecksums);
      return checkpoint;
    } catch (const Error& error) {
      if (on_damaged) on_damaged(checkpoint, error.what());
    }
  }
  return std::nullopt;
}

void CheckpointStore::set_aside(std::uint64_t update) {
  fs::path aside = dir_ / (std::string(kDamaged) + std::to_string(update));
  fs::path damaged = at(update).dir;
  remove_tree(aside);
  rename_folder(damaged, aside);
  sync_folder(dir_);
}

void CheckpointStore::prune(std::size_t keep, std::optional<std::uint64_t> best) {
  auto found = scan();
  std::size_t newer = 0;
  for (auto it = found.rbegin(); it != found.rend(); ++it) {
    try {
      check_files(it->second, Thoroughness::kSizes);
    } catch (const Error&) {
      continue;  // not one to rely on; latest_complete() reports it
    }
    if (newer++ < std::max<std::size_t>(keep, 1)) continue;
    if (it->first == best || it->first == last_saved_) continue;
    // Renamed first: a removal that is interrupted must not leave half a checkpoint under its name.
    fs::path trash = dir_ / (std::string(kRemoved) + std::to_string(it->first));
    rename_folder(it->second, trash);
    remove_tree(trash);
  }
}

}  // namespace hob::train
