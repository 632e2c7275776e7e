#pragma once

#include <cstdint>
#include <filesystem>
#include <limits>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "recipe/catalogue.h"
#include "recipe/component_schema.h"
#include "recipe/duration.h"

namespace hob::recipe {

// Where a table or a value was written.
struct Position {
  std::string file;  // a path, or "command line: 'optimizer.lr=x'"
  int line = 0;      // from 1; 0: no line (command line, or a default)
  int column = 0;
};

// "recipe.toml:12:5", or the file alone where there is no line.
std::string to_string(const Position& position);

using Params = std::vector<std::pair<std::string, Value>>;

// One component of a run with all its parameters, defaults filled in, in the schema's order. Paths
// are absolute.
struct Component {
  std::string kind;                         // "optimizer"
  std::string use;                          // as short as is unambiguous: "adamw" or "plugin/adamw"
  const ComponentSchema* schema = nullptr;  // lives in the Catalogue
  Params params;
  Position where;

  // The value of a declared parameter; asking for another one is a bug of ours (std::logic_error).
  const Value& param(std::string_view name) const;
  bool has_trait(std::string_view trait) const;
};

struct Run {
  std::string name;           // default: the recipe file's name without its extension
  std::filesystem::path dir;  // absolute; a relative one is relative to the current folder
  std::int64_t seed = 0;
  std::string device;  // "auto" | "cpu" | "cuda" | "cuda:N"
  bool deterministic = false;
  std::int64_t threads = 0;  // compute threads; 0: all
};

struct Weights {
  std::filesystem::path path;       // absolute; empty: the model's own initial values
  std::vector<std::string> reset;   // patterns: not taken from the file
  std::vector<std::string> freeze;  // patterns: not trained
};

struct Model {
  Component component;
  Weights weights;
};

struct Dataset {
  Component component;
  std::vector<Component> transforms;
};

enum class OnBadSample { kFail, kSkip };
enum class OnNonfinite { kFail, kSkip };
enum class BestMode { kAuto, kMin, kMax };

// A count, or "auto": the program chooses.
struct AutoCount {
  std::int64_t value = 0;  // 0: auto
  bool is_auto() const { return value == 0; }
  bool operator==(const AutoCount&) const = default;
};

struct Loader {
  std::int64_t batch_size = 0;  // samples of an update
  AutoCount micro_batch;        // samples of one forward; default: batch_size
  std::int64_t threads = 0;     // decoding threads
  std::int64_t prefetch = 0;    // micro-batches prepared ahead
  bool shuffle = true;
  bool drop_last = false;
  OnBadSample on_bad_sample = OnBadSample::kFail;
  std::int64_t bad_sample_limit = 0;  // skipped samples of a run before it fails
};

struct OptimizerGroup {
  std::vector<std::string> match;  // patterns and roles; the first group that matches wins
  double lr = 0;                   // these three are inherited from [optimizer] where not given
  double weight_decay = 0;
  Params params;
  Position where;
};

struct Optimizer {
  Component component;
  double lr = 0;
  double weight_decay = 0;
  std::vector<OptimizerGroup> groups;
};

struct Schedule {
  Component component;
  Duration warmup;                  // 0 updates: none
  std::optional<Duration> horizon;  // none: the length of the training
};

struct Train {  // at least one of the first three is set; the run ends at whichever comes first
  std::optional<std::int64_t> epochs;
  std::optional<std::int64_t> updates;
  std::optional<Duration> max_time;                            // in seconds
  double clip_norm = std::numeric_limits<double>::infinity();  // inf: off
  OnNonfinite on_nonfinite = OnNonfinite::kFail;
  std::optional<std::int64_t> memory_budget;  // bytes
};

struct Eval {
  Duration every;
  std::int64_t batch_size = 0;  // default: loader.micro_batch, or loader.batch_size where auto
};

struct Checkpoint {
  Duration every;
  std::int64_t keep = 0;  // the newest N, besides the best
  std::string best;       // a metric's name; empty: no best is kept
  BestMode mode = BestMode::kAuto;
};

struct Export {
  std::vector<std::string> formats;
  std::string dtype;  // "keep" | "float32" | "bfloat16" | "float16"
};

// What a run's lock file adds to the resolved recipe: what exactly took part.
struct LockedPlugin {
  std::string id, version, file, sha256;
};
struct LockedFile {
  std::string role;  // "weights" | "data"
  std::string path;
  std::int64_t size = 0;   // bytes
  std::int64_t mtime = 0;  // nanoseconds since 1970
  std::string sha256;      // empty: not taken
};
struct Lock {
  std::string hob;    // version of hob
  std::string torch;  // version and git hash of LibTorch
  std::vector<LockedPlugin> plugins;
  std::vector<LockedFile> files;

  bool empty() const { return hob.empty() && torch.empty() && plugins.empty() && files.empty(); }
};

struct Recipe {
  std::string path;  // the file that was read
  Run run;
  Model model;
  std::optional<Component> tokenizer;
  Dataset train_data;
  std::optional<Dataset> eval_data;
  Loader loader;
  Component objective;
  std::vector<Component> metrics;
  Optimizer optimizer;
  Schedule schedule;
  Component precision;
  std::vector<Component> memory;
  std::vector<Component> compression;
  std::vector<Component> callbacks;
  std::vector<Component> monitors;
  Train train;
  Eval eval;
  Checkpoint checkpoint;
  Export exports;
  Lock lock;

  // Every component that takes part, in the recipe's order of tables.
  std::vector<const Component*> components() const;
};

// Reads a recipe (or a lock file) with its `extends`, applies the command line's overrides
// (`a.b=v` sets, `+a.b=v` adds, `~a.b` deletes), fills in all defaults and checks everything.
// Throws hob::Error: kUsage with the first syntax error or with all errors of meaning, one a line;
// kPlugin where all that is wrong is that refused plugins are needed. What the user should be told
// of (dropped keys) is appended to `notices`, unless it is null.
Recipe load_recipe(const std::filesystem::path& path, std::span<const std::string> overrides,
                   const Catalogue& catalogue, std::vector<std::string>* notices);

// The same for a text; `name` stands for the file in messages, relative paths are relative to
// `folder`.
Recipe parse_recipe(std::string_view text, const std::string& name,
                    const std::filesystem::path& folder, std::span<const std::string> overrides,
                    const Catalogue& catalogue, std::vector<std::string>* notices);

// The whole recipe with all defaults as TOML; load_recipe reads it back to the same recipe.
std::string resolved_toml(const Recipe& recipe);

// One key that differs between two recipes. `before` or `after` is empty where the key is absent.
struct Change {
  std::string key;  // "optimizer.group.0.lr"
  std::string before, after;
  bool numerics = true;               // it changes the trained weights
  bool may_change_on_resume = false;  // a resumed run may take the new value
};

// What differs, in the recipe's order; the lock, run.dir and run.name are left out.
std::vector<Change> diff(const Recipe& before, const Recipe& after);

}  // namespace hob::recipe
