#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

namespace hob::app {

struct VerifyOptions {
  std::vector<std::filesystem::path> files;
  std::vector<std::string> params;       // "name=value", for the components that have it
  std::optional<std::string> component;  // "kind/name": this one alone
  std::optional<std::string> reproduce;  // "test:seed": this test alone
  std::uint64_t seed = 1;
  double limit_s = 20;  // for each test
};

}  // namespace hob::app
