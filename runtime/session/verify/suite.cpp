#include "session/verify/suite.h"

#include <algorithm>

#include "base/error.h"
#include "host/library.h"
#include "session/verify/global_state.h"
#include "session/verify/test.h"

namespace hob::session::verify {
namespace {

const std::vector<Test>& all_tests() {
  static const std::vector<Test> all = [] {
    std::vector<Test> tests;
    for (const auto& group :
         {component_tests(), model_tests(), dataset_tests(), transform_tests(), objective_tests(),
          metric_tests(), optimizer_tests(), schedule_tests(), precision_tests(),
          compression_tests(), memory_tests(), callback_tests(), monitor_tests()}) {
      tests.insert(tests.end(), group.begin(), group.end());
    }
    return tests;
  }();
  return all;
}

// Whatever is thrown, as a result.
Result result_of(const std::function<std::string()>& run) {
  try {
    return {Outcome::kPass, run()};
  } catch (const Skip& skip) {
    return {Outcome::kSkip, skip.what()};
  } catch (const c10::Error& error) {
    return {Outcome::kFail, error.what_without_backtrace()};
  } catch (const std::exception& error) {
    return {Outcome::kFail, error.what()};
  } catch (...) {
    return {Outcome::kFail, "an exception of an unknown type came out of a call of the plugin"};
  }
}

}  // namespace

std::vector<std::string> tests_of(const std::string& kind) {
  std::vector<std::string> names;
  for (const Test& test : all_tests()) {
    if (test.kind.empty() || test.kind == kind) names.push_back(test.name);
  }
  return names;
}

Result run_test(const std::string& name, Plugins& plugins, const recipe::ComponentSchema& component,
                const recipe::Params& given, uint64_t seed) {
  const auto test = std::find_if(all_tests().begin(), all_tests().end(),
                                 [&](const Test& t) { return t.name == name; });
  if (test == all_tests().end()) throw std::logic_error("there is no test " + name);
  return result_of([&] {
    Bench bench(plugins, component, given, seed);
    test->run(bench);
    return bench.notes();
  });
}

Result run_load_test(const host::Plugin& plugin) {
  return result_of([&] {
    const GlobalState before = GlobalState::capture();
    host::load_library(plugin, {host::host_table(), host::take_error, host::check_component});
    const std::string changes =
        before.changes_to(GlobalState::capture(), /*random_may_change=*/false);
    expect(changes.empty(), "loading the plugin left the process changed: " + changes);
    return std::string();
  });
}

}  // namespace hob::session::verify
