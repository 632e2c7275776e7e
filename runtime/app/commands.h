#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "app/options.h"

// The commands of `hob`. Each returns the program's exit code, or throws hob::Error, which has one.

namespace hob::app {

// hob run RECIPE: trains from the beginning in a folder of its own.
int run_command(const CommonOptions& common, const std::filesystem::path& recipe,
                const std::vector<std::string>& overrides);
// hob resume RUN: goes on from the newest checkpoint that is whole.
int resume_command(const CommonOptions& common, const std::filesystem::path& run_dir,
                   const std::vector<std::string>& overrides);
// hob eval RUN: evaluates a checkpoint of a run.
int eval_command(const CommonOptions& common, const std::filesystem::path& run_dir,
                 const std::optional<std::string>& checkpoint,
                 const std::vector<std::string>& overrides);
// hob export RUN: writes the trained model of a checkpoint to a file.
int export_command(const CommonOptions& common, const std::filesystem::path& run_dir,
                   const std::optional<std::string>& checkpoint,
                   const std::filesystem::path& output, const std::vector<std::string>& overrides);
// hob check RECIPE: everything that can be wrong before a run, and the resolved recipe.
int check_command(const CommonOptions& common, const std::filesystem::path& recipe,
                  const std::vector<std::string>& overrides);

}  // namespace hob::app
