#pragma once

#include <ATen/core/Generator.h>
#include <ATen/core/Tensor.h>

#include <filesystem>
#include <functional>
#include <memory>
#include <random>
#include <string>
#include <string_view>

#include "host/tables/instance.h"
#include "host/tables/world.h"
#include "recipe/recipe.h"
#include "session/plugins.h"

namespace hob::session::verify {

// A component under test: makes instances of it, watches its calls, and gives the test its random
// numbers, which are not LibTorch's own.
class Bench {
 public:
  // `given` are parameters that are not to be made up. Throws Skip where a parameter without a
  // default is neither given nor can be made up.
  Bench(Plugins& plugins, const recipe::ComponentSchema& schema, const recipe::Params& given,
        uint64_t seed);

  const recipe::ComponentSchema& schema() const { return *component_.schema; }
  // The component with its usual parameters: the given ones, the defaults, and what was made up.
  const recipe::Component& component() const { return component_; }
  uint64_t seed() const { return seed_; }
  // A new folder inside the temporary folder of the process.
  std::filesystem::path make_folder();

  // An instance with the usual parameters. Throws Skip where some of them were made up and the
  // component does not want them.
  std::unique_ptr<host::Instance> make(host::World& world);
  std::unique_ptr<host::Instance> make(const recipe::Params& params, host::World& world);

  // Runs a call of the plugin, and throws Failure where it leaves the process changed. `what` names
  // the call: "step".
  void watch(const std::string& what, const std::function<void()>& call) const;

  // Random numbers for the test: integers below n, and normal float32 tensors.
  uint64_t below(uint64_t n);
  at::Tensor randn(at::IntArrayRef sizes);
  at::Tensor random_labels(at::IntArrayRef sizes, int64_t classes);  // int64

  // Worth telling though the test passes.
  void note(const std::string& text) { note_ += (note_.empty() ? "" : "; ") + text; }
  const std::string& notes() const { return note_; }

 private:
  Plugins& plugins_;
  recipe::Component component_;
  bool made_up_ = false;
  uint64_t seed_;
  std::mt19937_64 random_;
  at::Generator generator_;
  std::string note_;
};

// Seeds LibTorch's own random numbers, as a run does.
void seed_libtorch(uint64_t seed);

// Whether two tensors have the same type, shape and bits; NaN is equal to the same NaN.
bool same_bits(const at::Tensor& a, const at::Tensor& b);

// Copies of all parameters and buffers, by name; and the first name whose tensor is another one
// now, or "".
using Snapshot = std::map<std::string, at::Tensor>;
Snapshot snapshot(host::World& world);
std::string first_difference(const Snapshot& before, const Snapshot& after);
// Puts the values back into the parameters of the same names.
void put_back(const Snapshot& values, host::World& world);

// The first name whose tensor or value differs between two states, or "".
std::string first_difference(const host::State& a, const host::State& b);
// The tensors are copies: later steps do not change them.
host::State copy_of(const host::State& state);

}  // namespace hob::session::verify
