#include "unit/recipe/fixture.h"

#include <cstdlib>
#include <filesystem>
#include <fstream>

#include "base/error.h"

namespace hob::recipe::testing {

ParamSchema param(const std::string& name, ParamType type) {
  ParamSchema schema;
  schema.name = name;
  schema.type = type;
  return schema;
}

ParamSchema param(const std::string& name, ParamType type, Value fallback) {
  ParamSchema schema = param(name, type);
  schema.default_value = std::move(fallback);
  return schema;
}

ComponentSchema component(const std::string& kind, const std::string& name,
                          std::vector<ParamSchema> params) {
  ComponentSchema schema;
  schema.plugin_id = "org.hob." + name;
  schema.plugin_version = "1.0.0";
  schema.kind = kind;
  schema.name = name;
  schema.interface = "hob." + kind + "/1";
  schema.params = std::move(params);
  return schema;
}

namespace {

using enum ParamType;

ParamSchema at_least(double min, ParamSchema schema) {
  schema.min = min;
  return schema;
}

std::vector<ComponentSchema> make_components() {
  ParamSchema momentum = at_least(0, param("momentum", kFloat, 0.0));
  momentum.max = 1;
  momentum.max_open = true;
  ParamSchema eps = at_least(0, param("eps", kFloat, 1e-8));
  eps.min_open = true;
  ParamSchema pattern = param("pattern", kString, "2:4");
  pattern.choices = {"1:2", "2:4"};

  ComponentSchema sgd = component("optimizer", "sgd", {momentum, param("nesterov", kBool, false)});
  ComponentSchema adamw = component(
      "optimizer", "adamw", {param("betas", kFloatList, std::vector<double>{0.9, 0.999}), eps});
  sgd.traits = {"weight_decay"};
  adamw.traits = {"weight_decay"};
  ComponentSchema fp16 = component("precision", "fp16_mixed");
  fp16.provides = {"loss_scaling"};
  ComponentSchema lomo = component("optimizer", "lomo");
  lomo.conflicts = {"loss_scaling"};
  ComponentSchema guard = component("callback", "spike_guard");
  guard.needs = {"loss_scaling"};

  return {
      component("model", "mlp",
                {at_least(1, param("hidden", kIntList, std::vector<std::int64_t>{128})),
                 at_least(1, param("num_classes", kInt)), param("dropout", kFloat, 0.0)}),
      component("model", "resnet",
                {param("depth", kInt, std::int64_t{50}), param("num_classes", kInt)}),
      component("dataset", "synthetic",
                {param("rows", kInt, std::int64_t{64}), param("cache", kSize, std::int64_t{0})}),
      component("dataset", "image_folder",
                {param("path", kPath),
                 param("extensions", kStringList, std::vector<std::string>{".jpg", ".png"})}),
      component("transform", "resize", {param("size", kInt)}),
      component("transform", "flip"),
      component("objective", "cross_entropy", {param("label_smoothing", kFloat, 0.0)}),
      component("metric", "accuracy"),
      component("metric", "topk", {param("k", kInt, std::int64_t{5})}),
      sgd,
      adamw,
      lomo,
      component("schedule", "constant"),
      component("schedule", "cosine", {param("min_factor", kFloat, 0.0)}),
      component("precision", "fp32"),
      fp16,
      component("memory", "recompute", {param("segments", kString, "*")}),
      component("compression", "prune_nm", {pattern}),
      component("callback", "ema", {param("decay", kFloat, 0.9998)}),
      component("callback", "swa", {param("start", kString, "10ep")}),
      guard,
      component("monitor", "console", {param("every", kInt, std::int64_t{10})}),
      component("monitor", "csv", {param("path", kPath, "log.csv")}),
  };
}

}  // namespace

const Catalogue& catalogue() {
  static const Catalogue instance(make_components(), {}, "looked in /plugins; add by --plugins");
  return instance;
}

const std::string kMinimal = R"([model]
use = "mlp"
num_classes = 10

[dataset.train]
use = "synthetic"

[objective]
use = "cross_entropy"

[optimizer]
use = "sgd"
lr = 0.1
[train]
epochs = 2
)";

Recipe read(std::string_view text, const std::vector<std::string>& overrides,
            std::vector<std::string>* notices) {
  return parse_recipe(text, "recipe.toml", "/recipes", overrides, catalogue(), notices);
}

std::string error_of(std::string_view text, const std::vector<std::string>& overrides) {
  try {
    read(text, overrides);
    return "";
  } catch (const Error& failure) {
    return failure.fault() == Fault::kUsage ? failure.what()
                                            : std::string("other fault: ") + failure.what();
  }
}

std::string error_of_file(const std::string& path) {
  try {
    load_recipe(path, {}, catalogue(), nullptr);
    return "";
  } catch (const Error& failure) {
    return failure.fault() == Fault::kUsage ? failure.what()
                                            : std::string("other fault: ") + failure.what();
  }
}

TemporaryFolder::TemporaryFolder() {
  std::string pattern = (std::filesystem::temp_directory_path() / "hob-test-XXXXXX").string();
  if (mkdtemp(pattern.data()) == nullptr) throw std::runtime_error("mkdtemp failed");
  path_ = pattern;
}

TemporaryFolder::~TemporaryFolder() {
  std::error_code ignored;
  std::filesystem::remove_all(path_, ignored);
}

std::string TemporaryFolder::write(const std::string& name, std::string_view content) const {
  const std::filesystem::path file = std::filesystem::path(path_) / name;
  std::filesystem::create_directories(file.parent_path());
  std::ofstream(file, std::ios::binary) << content;
  return file.string();
}

}  // namespace hob::recipe::testing
