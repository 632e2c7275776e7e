#pragma once

#include <filesystem>

namespace hob::train {

// The resolved recipe of a run; its presence (or that of `checkpoints/`) says that a folder holds
// one. Without a checkpoint there is nothing to resume and nothing to lose: it may begin anew.
inline constexpr const char* kLockRecipeName = "hob.lock.toml";

// A run's folder, made, tested for writing, and held by this process alone until destruction. The
// lock is flock's on `<dir>/.lock`, so that it ends with the process however that dies.
class RunFolder {
 public:
  enum class Mode {
    kNew,     // a folder that holds checkpoints is refused; parents are made
    kResume,  // a folder that holds no run is refused
  };

  // Throws Error (usage), naming the folder and the cause: it cannot be made or written, is in use
  // (with the process's id), or the mode refuses it. Whatever this call made is then removed.
  static RunFolder open(const std::filesystem::path& dir, Mode mode);

  RunFolder(RunFolder&& other) noexcept;
  RunFolder& operator=(RunFolder&& other) noexcept;
  ~RunFolder();

  const std::filesystem::path& dir() const { return dir_; }

 private:
  RunFolder(std::filesystem::path dir, int lock_fd);

  std::filesystem::path dir_;
  int lock_fd_ = -1;
};

}  // namespace hob::train
