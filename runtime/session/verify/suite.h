#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "host/registry.h"
#include "recipe/recipe.h"
#include "session/plugins.h"

// The conformance suite as seen from outside: the names of its tests, and one test done. A test may
// end the process, or never end: who runs it gives it a process of its own.

namespace hob::session::verify {

// The test of a plugin as a whole, before its components: its code is loaded, its entry called.
inline constexpr const char* kLoads = "plugin.loads";
// The first test of a component: without it the others say nothing.
inline constexpr const char* kCreates = "component.creates";

// The tests of a component of this kind, in the order in which they are to be done.
std::vector<std::string> tests_of(const std::string& kind);

enum class Outcome { kPass, kFail, kSkip };

struct Result {
  Outcome outcome = Outcome::kPass;
  std::string message;  // of a failure or a skip, why; else what is worth a note, or ""
};

// Does one test of a component. `given` are the parameters that are not to be made up. All random
// numbers follow from the seed.
Result run_test(const std::string& test, Plugins& plugins, const recipe::ComponentSchema& component,
                const recipe::Params& given, uint64_t seed);

// kLoads.
Result run_load_test(const host::Plugin& plugin);

}  // namespace hob::session::verify
