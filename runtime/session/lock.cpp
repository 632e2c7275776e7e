#include "session/lock.h"

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <system_error>
#include <vector>

#include "base/log.h"
#include "base/sha256.h"
#include "data/safetensors.h"

namespace hob::session {
namespace {

namespace fs = std::filesystem;

constexpr size_t kMaxListed = 1000;

int64_t modified_ns(const fs::path& path) {
  const auto time = std::chrono::file_clock::to_sys(fs::last_write_time(path));
  return std::chrono::duration_cast<std::chrono::nanoseconds>(time.time_since_epoch()).count();
}

recipe::LockedFile describe(const std::string& role, const fs::path& path) {
  return {role, path.string(), static_cast<int64_t>(fs::file_size(path)), modified_ns(path), ""};
}

std::vector<recipe::LockedFile> describe_folder(const fs::path& folder) {
  std::vector<recipe::LockedFile> files;
  recipe::LockedFile all{"data", folder.string(), 0, 0, ""};
  std::error_code error;  // what cannot be listed is the dataset's to report
  const auto options = fs::directory_options::skip_permission_denied;
  for (fs::recursive_directory_iterator it(folder, options, error), end; !error && it != end;
       it.increment(error)) {
    std::error_code gone;
    if (!it->is_regular_file(gone) || gone) continue;
    files.push_back(describe("data", it->path()));
    all.size += files.back().size;
    all.mtime = std::max(all.mtime, files.back().mtime);
  }
  if (files.size() > kMaxListed) return {all};
  std::sort(files.begin(), files.end(),
            [](const auto& a, const auto& b) { return a.path < b.path; });
  return files;
}

void add_data(const recipe::Dataset& dataset, std::vector<recipe::LockedFile>& out) {
  for (const recipe::ParamSchema& param : dataset.component.schema->params) {
    if (param.type != recipe::ParamType::kPath) continue;
    const fs::path path = std::get<std::string>(dataset.component.param(param.name));
    if (path.empty()) continue;
    if (fs::is_regular_file(path)) {
      out.push_back(describe("data", path));
    } else if (fs::is_directory(path)) {
      const auto files = describe_folder(path);
      out.insert(out.end(), files.begin(), files.end());
    }
  }
}

}  // namespace

recipe::Lock make_lock(const recipe::Recipe& recipe, const Plugins& plugins,
                       const std::string& hob_version, const recipe::Lock* before) {
  const host::TorchBuild torch = host::torch_build();
  recipe::Lock lock;
  lock.hob = hob_version;
  lock.torch = torch.version + " " + torch.git;
  lock.plugins = plugins.lock(recipe);
  if (before) {
    for (const recipe::LockedFile& file : before->files) {
      if (file.role == "weights") lock.files.push_back(file);
    }
  } else if (!recipe.model.weights.path.empty()) {
    const auto weights = data::SafetensorsReader::open(recipe.model.weights.path);
    for (const fs::path& file : weights.files()) {
      recipe::LockedFile locked = describe("weights", file);
      locked.sha256 = sha256_of_file(file);
      lock.files.push_back(std::move(locked));
    }
  }
  add_data(recipe.train_data, lock.files);
  if (recipe.eval_data &&
      recipe.eval_data->component.params != recipe.train_data.component.params) {
    add_data(*recipe.eval_data, lock.files);
  }
  const auto same_file = [](const auto& a, const auto& b) { return a.path == b.path; };
  std::stable_sort(lock.files.begin(), lock.files.end(),
                   [](const auto& a, const auto& b) { return a.path < b.path; });
  lock.files.erase(std::unique(lock.files.begin(), lock.files.end(), same_file), lock.files.end());
  return lock;
}

void compare_locks(const recipe::Lock& before, const recipe::Lock& after) {
  if (before.empty()) return;
  const auto changed = [](const std::string& what, const std::string& then,
                          const std::string& now) {
    if (then == now) return;
    log::warn(what + " is another than the run was begun with (" + then + " then, " + now +
              " now): the numbers may differ");
  };
  changed("hob", before.hob, after.hob);
  changed("LibTorch", before.torch, after.torch);
  for (const recipe::LockedPlugin& now : after.plugins) {
    for (const recipe::LockedPlugin& then : before.plugins) {
      if (then.id == now.id && then.sha256 != now.sha256) {
        changed("plugin '" + now.id + "'", then.version + " " + then.sha256.substr(0, 12),
                now.version + " " + now.sha256.substr(0, 12));
      }
    }
  }
  for (const recipe::LockedFile& now : after.files) {
    for (const recipe::LockedFile& then : before.files) {
      if (then.path != now.path || then.role != now.role) continue;
      const auto text = [](const recipe::LockedFile& f) {
        return std::to_string(f.size) + " bytes, " +
               (f.sha256.empty() ? "written at " + std::to_string(f.mtime) : f.sha256);
      };
      changed(now.path, text(then), text(now));
    }
  }
}

}  // namespace hob::session
