#pragma once

#include <cstdint>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <string>

#include "app/verify_process.h"
#include "host/registry.h"
#include "session/verify/suite.h"

namespace hob::app {

enum class Status { kPass, kFail, kSkip, kCrash, kTimeout };

struct TestRecord {
  std::string test;
  std::string component;  // "optimizer/adamw"; "" for a test of the plugin as a whole
  Status status = Status::kPass;
  std::string message;
  std::string output;  // the end of what the test wrote, where it went wrong
  std::uint64_t seed = 0;
  double seconds = 0;
};

// A test's result on its way from the process that did it; decoded by judge().
std::string encode(const session::verify::Result& result);

// What became of a test, by how its process ended.
TestRecord judge(const Finished& finished, double limit_s);

// Tells each test's result as it comes, or all of them as JSON at the end.
class VerifyReport {
 public:
  explicit VerifyReport(bool json) : json_(json) {}

  void begin(const host::Plugin& plugin, const std::filesystem::path& file);
  void add(const TestRecord& record);
  void add_refusal(const host::Refusal& refusal);
  void end();

  // 0 where nothing failed, 1 where a test did, 3 where a plugin was refused.
  int exit_code() const;

 private:
  void print(const TestRecord& record);

  const bool json_;
  nlohmann::json files_ = nlohmann::json::array();
  std::filesystem::path file_;
  std::string component_;  // whose tests are being told
  int passed_ = 0, failed_ = 0, skipped_ = 0, refused_ = 0;
};

}  // namespace hob::app
