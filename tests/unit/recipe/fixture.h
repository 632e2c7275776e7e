#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "recipe/recipe.h"

namespace hob::recipe::testing {

// A catalogue of a few components with every type of parameter.
const Catalogue& catalogue();

ParamSchema param(const std::string& name, ParamType type);
ParamSchema param(const std::string& name, ParamType type, Value fallback);
ComponentSchema component(const std::string& kind, const std::string& name,
                          std::vector<ParamSchema> params = {});

// The least that a recipe must say, line 1 to kMinimalLines; more may be appended.
extern const std::string kMinimal;
inline constexpr int kMinimalLines = 15;

// Reads a text as "recipe.toml" in the folder /recipes.
Recipe read(std::string_view text, const std::vector<std::string>& overrides = {},
            std::vector<std::string>* notices = nullptr);

// The message of the error that reading ends with; "" where there is none.
std::string error_of(std::string_view text, const std::vector<std::string>& overrides = {});
std::string error_of_file(const std::string& path);

// A folder of files that is gone at the end of the test.
class TemporaryFolder {
 public:
  TemporaryFolder();
  ~TemporaryFolder();
  TemporaryFolder(const TemporaryFolder&) = delete;
  TemporaryFolder& operator=(const TemporaryFolder&) = delete;

  std::string write(const std::string& name, std::string_view content) const;
  const std::string& path() const { return path_; }

 private:
  std::string path_;
};

}  // namespace hob::recipe::testing
