#include "app/verify.h"

#include <algorithm>
#include <charconv>
#include <functional>

#include "app/commands.h"
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

// All tests of a plugin, reported one by one.
class Verification {
 public:
  Verification(const VerifyOptions& options, VerifyReport& report)
      : options_(options), report_(report) {
    if (options.reproduce) reproduce_ = parse_reproduce(*options.reproduce);
    seed_ = reproduce_ ? reproduce_->seed : options.seed;
  }

  void verify(const fs::path& file) {
    session::Plugins plugins({{file}, {}});
    const host::Registry& registry = plugins.registry();
    if (!registry.refusals().empty()) return report_.add_refusal(registry.refusals().front());
    const host::Plugin& plugin = registry.plugins().front();
    const auto components = chosen_components(plugin, options_);
    check_params(components, options_.params);
    if (reproduce_) check_reproduce(*reproduce_, components);

    report_.begin(plugin, file);
    const bool only_components = reproduce_ && reproduce_->test != suite::kLoads;
    const auto loads = [&] { return suite::run_load_test(plugin); };
    if (!only_components && !passes(suite::kLoads, "", loads)) return;
    for (const auto* component : components) {
      const recipe::Params given = params_of(*component, options_.params);
      for (const std::string& test : chosen_tests(component->kind, reproduce_)) {
        const auto run = [&] { return suite::run_test(test, plugins, *component, given, seed_); };
        const bool goes_on = passes(test, full_name(*component), run);
        // Where it cannot be made, the other tests would all say the same.
        if (!goes_on && test == suite::kCreates) break;
      }
    }
  }

 private:
  // Does one test apart. Nothing of the plugin runs in this process.
  bool passes(const std::string& test, const std::string& component,
              const std::function<suite::Result()>& run) {
    const auto limit =
        std::chrono::milliseconds(static_cast<std::int64_t>(options_.limit_s * 1000));
    const bool is_first = test == suite::kLoads || test == suite::kCreates;
    const Ending ending = is_first ? Ending::kOrdinary : Ending::kAtOnce;
    TestRecord record =
        judge(run_apart([&] { return encode(run()); }, limit, ending), options_.limit_s);
    record.test = test;
    record.component = component;
    record.seed = seed_;
    report_.add(record);
    return record.status == Status::kPass;
  }

  const VerifyOptions& options_;
  VerifyReport& report_;
  std::optional<Reproduce> reproduce_;
  std::uint64_t seed_ = 0;
};

}  // namespace

int verify_command(const CommonOptions& common, const VerifyOptions& options) {
  check_files(options.files);
  VerifyReport report(common.json);
  Verification verification(options, report);
  for (const fs::path& file : options.files) verification.verify(file);
  report.end();
  return report.exit_code();
}

}  // namespace hob::app
