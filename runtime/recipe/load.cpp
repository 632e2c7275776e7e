#include <memory>
#include <utility>

#include "recipe/check.h"
#include "recipe/extends.h"
#include "recipe/interpolate.h"
#include "recipe/overrides.h"
#include "recipe/recipe.h"
#include "recipe/resolve.h"
#include "recipe/rules.h"

namespace hob::recipe {
namespace {

// These two are written into the tree, as ${run.name} and ${run.dir} may ask for them.
void name_the_run(Node& tree, const std::string& file_stem) {
  if (tree.find("run") == nullptr) tree.set("run", tree.mark, empty_table(tree.mark));
  Node& run = *tree.find("run");
  if (run.table() == nullptr) return;
  if (run.find("name") == nullptr) run.set("name", run.mark, {file_stem, run.mark});
  // A name of another type is reported as such, and not once more for the folder.
  const bool has_name = run.find("name")->text() != nullptr;
  if (run.find("dir") == nullptr && has_name)
    run.set("dir", run.mark, {"runs/${run.name}", run.mark});
}

Recipe finish(Node tree, std::span<const std::string> overrides, const Catalogue& catalogue,
              std::vector<std::string>* notices) {
  Problems problems;
  apply_overrides(tree, overrides, catalogue, notices, problems);
  name_the_run(tree, std::filesystem::path(tree.mark.source->name).stem().string());
  interpolate(tree, problems);
  const CheckedTable checked = check_recipe(tree, catalogue, problems);
  check_rules(checked, tree, catalogue, problems);
  problems.raise_if_any();
  return resolve_recipe(checked, catalogue);
}

}  // namespace

Recipe load_recipe(const std::filesystem::path& path, std::span<const std::string> overrides,
                   const Catalogue& catalogue, std::vector<std::string>* notices) {
  return finish(load_tree(path, catalogue, notices), overrides, catalogue, notices);
}

Recipe parse_recipe(std::string_view text, const std::string& name,
                    const std::filesystem::path& folder, std::span<const std::string> overrides,
                    const Catalogue& catalogue, std::vector<std::string>* notices) {
  auto source = std::make_shared<Source>();
  source->name = name;
  source->folder = std::filesystem::absolute(folder);
  return finish(load_tree_of_text(text, std::move(source), catalogue, notices), overrides,
                catalogue, notices);
}

}  // namespace hob::recipe
