#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace hob::train {

// One file of a checkpoint: `write` creates it at the path it is given. A plain name, no folders.
struct CheckpointFile {
  std::string name;
  std::function<void(const std::filesystem::path& path)> write;
};

struct Checkpoint {
  std::uint64_t update = 0;  // completed updates
  std::filesystem::path dir;
};

// The checkpoints of a run: `<run>/checkpoints/<update>/`, each with `checksums.json` (size and
// SHA-256 of every other file, written last). A directory with a number for a name is complete: it
// was written as `.tmp-<update>`, every file and the folder synced, and then renamed. The disk is
// the only state but the last number saved, so that reading the store of a running run is safe.
// One thread at a time.
class CheckpointStore {
 public:
  explicit CheckpointStore(const std::filesystem::path& run_dir);

  const std::filesystem::path& dir() const { return dir_; }

  // Clears what an interrupted save, replacement or removal left. Call it once before the first
  // save, while holding the run's lock (RunFolder).
  void recover();

  // Writes a checkpoint and returns when it is on the disk. An older one of the same number is
  // replaced, and lost only after. Throws Error (run) with path and cause where a file cannot be
  // written (what a writer throws passes through); the partial folder is removed, all others stay.
  Checkpoint save(std::uint64_t update, std::span<const CheckpointFile> files);

  // The numbers that have a directory, ascending by value ("0100" is 100). Other names are ignored.
  std::vector<std::uint64_t> list() const;

  // Throws Error (usage) where there is none of that number.
  Checkpoint at(std::uint64_t update) const;

  // Throws Error (run) naming the first file that is missing, of another size or another checksum.
  void verify(std::uint64_t update) const;

  // The highest number that verifies; none if there is no checkpoint, or all are damaged. Each
  // damaged one on the way is reported: `why` names file and cause. A run that resumes should set
  // those aside (set_aside), so that they do not count as the newest when older ones are removed.
  using OnDamaged = std::function<void(const Checkpoint& checkpoint, const std::string& why)>;
  std::optional<Checkpoint> latest_complete(const OnDamaged& on_damaged) const;

  // Renames a damaged checkpoint to `damaged-<update>`: kept for its owner, no longer listed.
  void set_aside(std::uint64_t update);

  // Removes old checkpoints. What stays: the `keep` highest numbers (at least one), and besides
  // them `best` and the last one that this object saved. One whose files are missing or of the
  // wrong size is neither counted nor removed. Call it after a save, never before.
  void prune(std::size_t keep, std::optional<std::uint64_t> best);

 private:
  std::map<std::uint64_t, std::filesystem::path> scan() const;

  std::filesystem::path dir_;
  std::optional<std::uint64_t> last_saved_;
};

}  // namespace hob::train
