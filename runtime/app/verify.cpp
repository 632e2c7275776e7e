#include "app/verify.h"

#include <unistd.h>

#include <algorithm>
#include <charconv>
#include <cstring>
#include <iostream>

#include "app/commands.h"
#include "app/component_json.h"
#include "app/verify_params.h"
#include "app/verify_process.h"
#include "app/verify_report.h"
#include "base/error.h"
#include "base/text.h"
#include "session/verify/suite.h"

namespace hob::app {
namespace {

namespace fs = std::filesystem;
namespace suite = session::verify;

std::string full_name(const recipe::ComponentSchema& component) {
  return component.kind + "/" + component.name;
}

void check_files(const std::vector<fs::path>& files) {
  for (const fs::path& file : files) {
    std::error_code ignored;
    if (!fs::is_regular_file(file, ignored)) {
      throw Error(Fault::kUsage,
                  "there is no file " + quote(file.string()) + "; give plugins' .so files");
    }
  }
}

// The components that are asked for.
std::vector<const recipe::ComponentSchema*> chosen_components(const host::Plugin& plugin,
                                                              const VerifyOptions& options) {
  std::vector<const recipe::ComponentSchema*> chosen;
  std::vector<std::string> names;
  for (const recipe::ComponentSchema& component : plugin.descriptor.components) {
    names.push_back(full_name(component));
    if (!options.component || *options.component == names.back()) chosen.push_back(&component);
  }
  if (chosen.empty()) {
    throw Error(Fault::kUsage, plugin.file.string() + " has no component " +
                                   quote(*options.component) + ", only " + join(names, ", ") +
                                   did_you_mean(*options.component, names));
  }
  return chosen;
}

// --reproduce: which test, and from which seed.
struct Reproduce {
  std::string test;
  std::uint64_t seed = 0;
};

Reproduce parse_reproduce(const std::string& text) {
  Reproduce result;
  const std::size_t colon = text.rfind(':');
  const char* end = text.data() + text.size();
  if (colon != std::string::npos && colon + 1 < text.size()) {
    result.test = text.substr(0, colon);
    const auto [at, error] = std::from_chars(text.data() + colon + 1, end, result.seed);
    if (error == std::errc() && at == end) return result;
  }
  throw Error(Fault::kUsage, "--reproduce " + quote(text) +
                                 ": expected a test and its seed, such as "
                                 "optimizer.resume_is_bitwise:1");
}

// The tests of a component that are asked for.
std::vector<std::string> chosen_tests(const std::string& kind,
                                      const std::optional<Reproduce>& reproduce) {
  std::vector<std::string> tests = suite::tests_of(kind);
  if (!reproduce) return tests;
  std::erase_if(tests, [&](const std::string& test) { return test != reproduce->test; });
  return tests;
}

void check_reproduce(const Reproduce& reproduce,
                     const std::vector<const recipe::ComponentSchema*>& components) {
  std::vector<std::string> known{suite::kLoads};
  for (const auto* component : components) {
    for (std::string& test : suite::tests_of(component->kind)) known.push_back(std::move(test));
  }
  if (std::find(known.begin(), known.end(), reproduce.test) != known.end()) return;
  throw Error(Fault::kUsage, "--reproduce: no component here has a test " + quote(reproduce.test) +
                                 did_you_mean(reproduce.test, known));
}

// Does one test in a process of its own.
TestRecord run_apart(const std::string& test, const fs::path& file, const std::string& component,
                     const VerifyOptions& options, std::uint64_t seed) {
  std::vector<std::string> arguments{"verify", file.string(), "--one",
                                     test,     "--seed",      std::to_string(seed)};
  if (!component.empty()) arguments.insert(arguments.end(), {"--component", component});
  for (const std::string& param : options.params) {
    arguments.insert(arguments.end(), {"--param", param});
  }
  const auto limit = std::chrono::milliseconds(static_cast<std::int64_t>(options.limit_s * 1000));
  TestRecord record = judge(run_self(arguments, limit), options.limit_s);
  record.test = test;
  record.component = component;
  record.seed = seed;
  return record;
}

// The child's side: the test is done here, and its result written to the parent.
int run_here(const VerifyOptions& options) {
  const fs::path& file = options.files.at(0);
  session::Plugins plugins({{file}, {}});
  const host::Plugin& plugin = plugins.registry().plugins().at(0);
  suite::Result result;
  if (*options.one == suite::kLoads) {
    result = suite::run_load_test(plugin);
  } else {
    const recipe::ComponentSchema& component = *chosen_components(plugin, options).at(0);
    result = suite::run_test(*options.one, plugins, component, params_of(component, options.params),
                             options.seed);
  }
  const std::string report = encode(result);
  const bool written = ::write(kReportDescriptor, report.data(), report.size()) ==
                       static_cast<ssize_t>(report.size());
  return written ? 0 : static_cast<int>(Fault::kRun);
}

// All tests of a plugin, reported one by one.
class Verification {
 public:
  Verification(const VerifyOptions& options, VerifyReport& report)
      : options_(options), report_(report) {
    if (options.reproduce) reproduce_ = parse_reproduce(*options.reproduce);
  }

  void verify(const fs::path& file) {
    const session::Plugins plugins({{file}, {}});
    const host::Registry& registry = plugins.registry();
    if (!registry.refusals().empty()) return report_.add_refusal(registry.refusals().front());
    const host::Plugin& plugin = registry.plugins().front();
    const auto components = chosen_components(plugin, options_);
    check_params(components, options_.params);
    if (reproduce_) check_reproduce(*reproduce_, components);

    report_.begin(plugin, file);
    const bool only_components = reproduce_ && reproduce_->test != suite::kLoads;
    if (!only_components && !passes(suite::kLoads, file, "")) return;
    for (const auto* component : components) {
      for (const std::string& test : chosen_tests(component->kind, reproduce_)) {
        // Where it cannot be made, the other tests would all say the same.
        const bool goes_on = passes(test, file, full_name(*component));
        if (!goes_on && test == suite::kCreates) break;
      }
    }
  }

 private:
  bool passes(const std::string& test, const fs::path& file, const std::string& component) {
    const std::uint64_t seed = reproduce_ ? reproduce_->seed : options_.seed;
    const TestRecord record = run_apart(test, file, component, options_, seed);
    report_.add(record);
    return record.status == Status::kPass;
  }

  const VerifyOptions& options_;
  VerifyReport& report_;
  std::optional<Reproduce> reproduce_;
};

}  // namespace

int verify_command(const CommonOptions& common, const VerifyOptions& options) {
  check_files(options.files);
  if (options.one) return run_here(options);
  VerifyReport report(common.json);
  Verification verification(options, report);
  for (const fs::path& file : options.files) verification.verify(file);
  report.end();
  return report.exit_code();
}

}  // namespace hob::app
