#include <limits>
#include <utility>

#include "recipe/enum_names.h"
#include "recipe/host_schema.h"

// The host's tables and keys, with their defaults, limits and help. To add a key: here, in its
// struct (recipe.h) and in the struct's list of fields (fields.h).

namespace hob::recipe {
namespace {

constexpr double kCountLimit = 0x1p31;  // open: every count fits an int

// What a change means to a resumed run.
enum OnResume {
  kFixed,     // it would be another run
  kReported,  // the recipe's value wins, and is reported, as the weights will differ
  kFree,      // no weight depends on it
};

constexpr auto kBool = ParamType::kBool;
constexpr auto kInt = ParamType::kInt;
constexpr auto kFloat = ParamType::kFloat;
constexpr auto kString = ParamType::kString;
constexpr auto kPath = ParamType::kPath;
constexpr auto kSize = ParamType::kSize;
constexpr auto kStrings = ParamType::kStringList;

using Names = std::vector<std::string>;
constexpr auto integer = [](std::int64_t value) { return Value(value); };

// Writes a key as one sentence.
class Key {
 public:
  Key(const char* name, ParamType type, OnResume on_resume, const char* help) {
    key_.schema.name = name;
    key_.schema.type = type;
    key_.schema.help = help;
    key_.schema.numerics = on_resume != kFree;
    key_.schema.may_change_on_resume = on_resume != kFixed;
  }

  Key& required() { return key_.required = true, *this; }
  Key& or_else(Value value) { return key_.schema.default_value = std::move(value), *this; }
  Key& or_as(const char* note) { return key_.default_note = note, *this; }
  Key& form(Form form) { return key_.form = form, *this; }
  Key& unit(const char* unit) { return key_.schema.unit = unit, *this; }
  Key& one_of(Names choices) { return key_.schema.choices = std::move(choices), *this; }
  Key& not_called(Names aliases) { return key_.aliases = std::move(aliases), *this; }
  Key& at_most(double most) {
    key_.schema.max = most;
    key_.schema.max_open = false;
    return *this;
  }
  Key& at_least(double least) {
    key_.schema.min = least;
    if (key_.schema.type == kInt) {
      key_.schema.max = kCountLimit;
      key_.schema.max_open = true;
    }
    return *this;
  }

  operator HostKey() const { return key_; }

 private:
  HostKey key_;
};

HostTable component_table(std::string path, Presence presence, std::string kind, OnResume on_resume,
                          std::string summary) {
  return {.path = std::move(path),
          .presence = presence,
          .summary = std::move(summary),
          .kind = std::move(kind),
          .numerics = on_resume != kFree,
          .may_change_on_resume = on_resume != kFixed};
}

HostTable top_level() {
  HostTable table{.path = "", .summary = "The recipe itself."};
  table.keys = {
      Key("schema", kInt, kFree, "version of the recipe's form").at_least(1).or_else(integer(1)),
      Key("extends", kStrings, kFree,
          "recipes to build on, relative to this file: tables are merged in order, arrays of "
          "tables are replaced, and this file wins")
          .or_else(Names{}),
  };
  return table;
}

HostTable run_table() {
  HostTable table{.path = "run",
                  .summary = "What the run is called, where it goes and what it computes on."};
  table.keys = {
      Key("name", kString, kFree, "name of the run, for reports")
          .form(Form::kNonEmpty)
          .or_as("the recipe's file name"),
      Key("dir", kString, kFree, "folder of the run, relative to the current folder")
          .form(Form::kNonEmpty)
          .or_as("runs/${run.name}")
          .not_called({"output_dir", "out_dir", "output", "folder"}),
      Key("seed", kInt, kFixed, "seed of everything random")
          .at_least(0)
          .or_else(integer(0))
          .not_called({"random_seed"}),
      Key("device", kString, kReported, "\"auto\", \"cpu\", \"cuda\" or \"cuda:N\"")
          .form(Form::kDevice)
          .or_else("auto"),
      Key("deterministic", kBool, kReported, "the same bits from the same seed on a GPU too")
          .or_else(false),
      Key("threads", kInt, kReported, "compute threads; 0: all cores")
          .at_least(0)
          .at_most(1024)
          .or_else(integer(0)),
  };
  return table;
}

HostTable weights_table() {
  HostTable table{.path = "model.weights",
                  .summary = "Weights to start from, and what of the model stays as it is."};
  table.keys = {
      Key("path", kPath, kFixed, "file or folder of weights; \"\": the model's own start")
          .or_else(""),
      Key("reset", kStrings, kFixed, "patterns of parameters that are not taken from the file")
          .or_else(Names{}),
      Key("freeze", kStrings, kFixed, "patterns of parameters that are not trained")
          .or_else(Names{}),
  };
  return table;
}

HostTable loader_table() {
  HostTable table{.path = "loader", .summary = "How samples become batches."};
  table.keys = {
      Key("batch_size", kInt, kReported, "samples of one update")
          .at_least(1)
          .or_else(integer(32))
          .unit("samples")
          .not_called({"batch", "bs", "global_batch_size", "train_batch_size"}),
      Key("micro_batch", kInt, kReported, "samples of one forward pass; \"auto\": the whole batch")
          .at_least(1)
          .form(Form::kCountOrAuto)
          .or_as("loader.batch_size")
          .unit("samples")
          .not_called({"micro_batch_size", "per_device_batch_size"}),
      Key("threads", kInt, kFree, "threads that decode samples; 0: the training thread does it")
          .at_least(0)
          .at_most(1024)
          .or_else(integer(4))
          .not_called({"num_workers", "workers", "num_threads"}),
      Key("prefetch", kInt, kFree, "micro-batches prepared ahead")
          .at_least(1)
          .at_most(4096)
          .or_else(integer(4))
          .not_called({"prefetch_factor"}),
      Key("shuffle", kBool, kFixed, "a new order in every epoch, from run.seed").or_else(true),
      Key("drop_last", kBool, kFixed, "leave out the last, short batch of an epoch").or_else(false),
      Key("on_bad_sample", kString, kReported, "what happens to a sample that cannot be read")
          .one_of(enum_names<OnBadSample>())
          .or_else("fail"),
      Key("bad_sample_limit", kInt, kReported,
          "with \"skip\": more bad samples than this end the run")
          .at_least(0)
          .or_else(integer(100)),
  };
  return table;
}

const Names kLrAliases{"learning_rate", "learningrate", "base_lr", "max_lr"};
const Names kDecayAliases{"wd", "decay", "weightdecay", "l2"};

HostTable optimizer_table() {
  HostTable table = component_table("optimizer", Presence::kRequired, "optimizer", kFixed,
                                    "How gradients move the weights.");
  table.keys = {
      Key("lr", kFloat, kReported, "learning rate; the schedule multiplies it")
          .at_least(0)
          .required()
          .not_called(kLrAliases),
      Key("weight_decay", kFloat, kReported, "weight decay; only for optimizers that apply it")
          .at_least(0)
          .or_else(0.0)
          .not_called(kDecayAliases),
  };
  return table;
}

HostTable group_table() {
  HostTable table{.path = "optimizer.group",
                  .presence = Presence::kRepeated,
                  .summary =
                      "Parameters with values of their own, the optimizer's own keys "
                      "included; the first group that matches wins.",
                  .inherits_params = true};
  table.keys = {
      Key("match", kStrings, kFixed, "patterns on full names, or roles such as \"role:norm\"")
          .required(),
      Key("lr", kFloat, kReported, "learning rate of the group")
          .at_least(0)
          .or_as("optimizer.lr")
          .not_called(kLrAliases),
      Key("weight_decay", kFloat, kReported, "weight decay of the group")
          .at_least(0)
          .or_as("optimizer.weight_decay")
          .not_called(kDecayAliases),
  };
  return table;
}

HostTable schedule_table() {
  HostTable table = component_table("schedule", Presence::kAlways, "schedule", kReported,
                                    "How the learning rate moves over the training.");
  table.default_use = "constant";
  table.keys = {
      Key("warmup", kString, kReported, "linear rise of the learning rate at the start")
          .form(Form::kDuration)
          .or_else("0up")
          .not_called({"warmup_steps", "warmup_epochs", "warmup_updates"}),
      Key("horizon", kString, kReported, "when the schedule reaches its end")
          .form(Form::kPeriod)
          .or_as("the length of the training")
          .not_called({"total_steps", "t_max"}),
  };
  return table;
}

HostTable precision_table() {
  HostTable table = component_table("precision", Presence::kAlways, "precision", kFixed,
                                    "The number formats of storage and computation.");
  table.default_use = "fp32";
  return table;
}

HostTable train_table() {
  HostTable table{.path = "train",
                  .summary =
                      "How long to train, and each update's rules. At least one of epochs, "
                      "updates and max_time: whichever is reached first ends the run."};
  table.keys = {
      Key("epochs", kInt, kReported, "passes over the training data")
          .at_least(1)
          .not_called({"num_epochs", "max_epochs", "n_epochs", "num_train_epochs"}),
      Key("updates", kInt, kReported, "updates of the weights")
          .at_least(1)
          .not_called({"steps", "max_steps", "num_updates", "max_updates", "iterations"}),
      Key("max_time", kString, kFree, "time after which the run saves and ends, such as \"8h\"")
          .form(Form::kTime),
      Key("clip_norm", kFloat, kReported, "limit of the gradient's global L2 norm; inf: off")
          .form(Form::kPositiveOrInf)
          .or_else(std::numeric_limits<double>::infinity())
          .not_called({"clip", "max_norm", "max_grad_norm", "grad_clip", "gradient_clip"}),
      Key("on_nonfinite", kString, kReported,
          "what a loss or gradient that is not finite does: end the run, or skip the update")
          .one_of(enum_names<OnNonfinite>())
          .or_else("fail")
          .not_called({"on_nan"}),
      Key("memory_budget", kSize, kReported, "device memory to stay within, such as \"22GiB\"")
          .at_least(1)
          .or_as("the device's memory")
          .unit("bytes"),
  };
  return table;
}

HostTable eval_table() {
  HostTable table{.path = "eval", .summary = "When and how to evaluate on dataset.eval."};
  table.keys = {
      Key("every", kString, kFree, "time between evaluations; one more comes at the end")
          .form(Form::kPeriod)
          .or_else("1ep")
          .not_called({"interval", "eval_every"}),
      Key("batch_size", kInt, kFree, "samples of one forward pass")
          .at_least(1)
          .or_as("loader.micro_batch, or loader.batch_size where that is \"auto\"")
          .unit("samples"),
  };
  return table;
}

HostTable checkpoint_table() {
  HostTable table{.path = "checkpoint", .summary = "When to save, and what to keep."};
  table.keys = {
      Key("every", kString, kFree, "time between checkpoints; one more comes at the end")
          .form(Form::kPeriod)
          .or_else("1ep")
          .not_called({"interval", "save_every", "save_steps"}),
      Key("keep", kInt, kFree, "how many of the newest to keep, besides the best")
          .at_least(1)
          .or_else(integer(3))
          .not_called({"keep_last", "save_total_limit"}),
      Key("best", kString, kFree,
          "metric of the evaluation whose best checkpoint is kept; \"\": none")
          .or_else("")
          .not_called({"best_metric"}),
      Key("mode", kString, kFree,
          "whether the least or the greatest is best; \"auto\": as the metric says")
          .one_of(enum_names<BestMode>())
          .or_else("auto"),
  };
  return table;
}

HostTable export_table() {
  HostTable table{.path = "export", .summary = "Files to write of the finished model."};
  table.keys = {
      Key("formats", kStrings, kFree, "formats to write").one_of({"safetensors"}).or_else(Names{}),
      Key("dtype", kString, kFree, "type of the written weights; \"keep\": as trained")
          .one_of({"keep", "float32", "bfloat16", "float16"})
          .or_else("keep"),
  };
  return table;
}

void add_lock_tables(std::vector<HostTable>& tables) {
  const auto text = [](const char* name, const char* help) {
    return Key(name, kString, kFree, help).or_else("");
  };
  tables.push_back(
      {.path = "lock",
       .summary = "Written by hob into a run's lock file: what exactly took part.",
       .keys = {text("hob", "version of hob"), text("torch", "version and git hash of LibTorch")}});
  tables.push_back({.path = "lock.plugin",
                    .presence = Presence::kRepeated,
                    .summary = "A plugin that took part.",
                    .keys = {text("id", "its id"), text("version", "its version"),
                             text("file", "its file"), text("sha256", "the file's hash")}});
  tables.push_back(
      {.path = "lock.file",
       .presence = Presence::kRepeated,
       .summary = "A file of weights or data that took part.",
       .keys = {text("role", "weights or data"), text("path", "where it was"),
                Key("size", kInt, kFree, "bytes").or_else(integer(0)),
                Key("mtime", kInt, kFree, "nanoseconds since 1970").or_else(integer(0)),
                text("sha256", "the file's hash, where it was taken")}});
}

void add_dataset_tables(std::vector<HostTable>& tables) {
  const char* const transforms = "A change of each sample or batch, in file order.";
  tables.push_back({.path = "dataset", .summary = "The data."});
  tables.push_back(component_table("dataset.train", Presence::kRequired, "dataset", kFixed,
                                   "The samples to train on."));
  tables.push_back(component_table("dataset.train.transform", Presence::kRepeated, "transform",
                                   kFixed, transforms));
  tables.push_back(component_table("dataset.eval", Presence::kOptional, "dataset", kFree,
                                   "The samples to evaluate on."));
  tables.push_back(component_table("dataset.eval.transform", Presence::kRepeated, "transform",
                                   kFree, transforms));
}

std::vector<HostTable> make_tables() {
  std::vector<HostTable> tables{top_level(), run_table()};
  const auto single = [&](const char* kind, Presence presence, const char* summary) {
    tables.push_back(component_table(kind, presence, kind, kFixed, summary));
  };
  const auto list = [&](const char* kind, OnResume on_resume, const char* summary) {
    tables.push_back(component_table(kind, Presence::kRepeated, kind, on_resume, summary));
  };
  single("model", Presence::kRequired, "The model.");
  tables.push_back(weights_table());
  single("tokenizer", Presence::kOptional, "How text becomes ids.");
  add_dataset_tables(tables);
  tables.push_back(loader_table());
  single("objective", Presence::kRequired, "What training makes small.");
  list("metric", kFree, "A figure of the evaluation.");
  tables.push_back(optimizer_table());
  tables.push_back(group_table());
  tables.push_back(schedule_table());
  tables.push_back(precision_table());
  list("memory", kReported, "A strategy that saves memory.");
  list("compression", kFixed, "A strategy that makes the model smaller.");
  list("callback", kFixed, "Something that acts on the loop's events.");
  list("monitor", kFree, "Something that shows or records the run.");
  tables.push_back(train_table());
  tables.push_back(eval_table());
  tables.push_back(checkpoint_table());
  tables.push_back(export_table());
  add_lock_tables(tables);
  return tables;
}

}  // namespace

const std::vector<HostTable>& host_tables() {
  static const std::vector<HostTable> tables = make_tables();
  return tables;
}

}  // namespace hob::recipe
