#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "app/options.h"
#include "app/verify.h"

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

// None of these three runs code of a plugin.
// hob list [KIND]: the components, or with `refused` the plugins that are not used, and why.
int list_command(const CommonOptions& common, const std::optional<std::string>& kind, bool refused);
// hob describe NAME | KIND/NAME | PLUGIN/NAME | FILE: all that a component or a plugin declares.
int describe_command(const CommonOptions& common, const std::string& query, bool operators);
// hob new KIND NAME: writes the project of a plugin.
int new_command(const CommonOptions& common, const std::string& kind, const std::string& name,
                const std::optional<std::filesystem::path>& dir);

// hob verify FILE...: the conformance suite over plugins, each test in a process of its own.
int verify_command(const CommonOptions& common, const VerifyOptions& options);

}  // namespace hob::app
