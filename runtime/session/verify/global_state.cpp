#include "session/verify/global_state.h"

#include <ATen/Context.h>
#include <ATen/Parallel.h>
#include <ATen/autocast_mode.h>
#include <c10/core/DefaultDtype.h>
#include <c10/core/GradMode.h>
#include <c10/core/InferenceMode.h>
#include <c10/core/ScalarType.h>

#include <clocale>
#include <filesystem>

namespace hob::session::verify {
namespace {

std::string on_or_off(bool on) {
  return on ? "on" : "off";
}

// Rounding, and what becomes of numbers below the smallest normal one; not the record of past
// exceptions.
std::string float_mode() {
  constexpr unsigned kExceptions = 0x3f;
  return std::to_string(__builtin_ia32_stmxcsr() & ~kExceptions);
}

std::string random_bytes() {
  const at::Generator generator = at::globalContext().defaultGenerator(at::kCPU);
  const at::Tensor state = generator.get_state();
  return {static_cast<const char*>(state.data_ptr()), state.nbytes()};
}

}  // namespace

GlobalState GlobalState::capture() {
  GlobalState state;
  const auto add = [&](const char* name, std::string value) {
    state.values_.emplace_back(name, std::move(value));
  };
  add("gradient recording", on_or_off(c10::GradMode::is_enabled()));
  add("inference mode", on_or_off(c10::InferenceMode::is_enabled()));
  for (const auto device : {at::kCPU, at::kCUDA}) {
    const std::string of = " of " + c10::DeviceTypeName(device, /*lower_case=*/true);
    add(("autocast" + of).c_str(), on_or_off(at::autocast::is_autocast_enabled(device)));
    add(("the type of autocast" + of).c_str(),
        c10::toString(at::autocast::get_autocast_dtype(device)));
  }
  add("the cache of autocast", on_or_off(at::autocast::is_autocast_cache_enabled()));
  add("LibTorch's default type", std::string(c10::get_default_dtype().name()));
  add("the number of threads", std::to_string(at::get_num_threads()));
  const at::Context& context = at::globalContext();
  add("deterministic algorithms", on_or_off(context.deterministicAlgorithms()));
  add("cuDNN's benchmark", on_or_off(context.benchmarkCuDNN()));
  add("the mode of floating-point numbers", float_mode());
  std::error_code ignored;
  add("the current folder", std::filesystem::current_path(ignored).string());
  add("the locale", std::setlocale(LC_ALL, nullptr));
  state.random_ = random_bytes();
  return state;
}

std::string GlobalState::changes_to(const GlobalState& after, bool random_may_change) const {
  std::string changes;
  const auto add = [&](const std::string& change) {
    changes += (changes.empty() ? "" : "; ") + change;
  };
  for (std::size_t i = 0; i < values_.size(); ++i) {
    const auto& [name, before] = values_[i];
    const std::string& now = after.values_[i].second;
    if (now != before) add(name + " was " + before + " and is " + now);
  }
  if (!random_may_change && random_ != after.random_) {
    add("LibTorch's own random numbers were drawn, and this kind of component draws from its own "
        "seed alone");
  }
  return changes;
}

}  // namespace hob::session::verify
