#pragma once

#include <ATen/core/Generator.h>
#include <ATen/core/Tensor.h>
#include <c10/core/ScalarType.h>

#include <vector>

#include "host/tables/world.h"

namespace hob::host {

// What the result of a forward depends on besides its inputs and parameters: the state of the
// random number generators, autocast, and the pass. Taken before a forward, and put back for its
// replay.
class PassState {
 public:
  // The state of this thread, now.
  static PassState capture(World& world);
  void apply(World& world) const;

 private:
  struct Random {
    at::Generator generator;
    at::Tensor state;
  };
  struct Autocast {
    at::DeviceType device;
    bool enabled;
    at::ScalarType dtype;
  };

  std::vector<Random> random_;
  std::vector<Autocast> autocast_;
  hob_pass pass_;
};

// Puts back, at its end, the state that it found.
class PassStateScope {
 public:
  explicit PassStateScope(World& world) : world_(world), before_(PassState::capture(world)) {}
  ~PassStateScope() { before_.apply(world_); }
  PassStateScope(const PassStateScope&) = delete;
  PassStateScope& operator=(const PassStateScope&) = delete;

 private:
  World& world_;
  PassState before_;
};

// Casts of weights are not kept while it lives. One that a replay leaves behind would be found by
// the next forward, although the weight was stepped since; and one that is made without gradients
// must not serve where they are recorded.
class NoAutocastCache {
 public:
  NoAutocastCache();
  ~NoAutocastCache();
  NoAutocastCache(const NoAutocastCache&) = delete;
  NoAutocastCache& operator=(const NoAutocastCache&) = delete;

 private:
  bool before_;
};

}  // namespace hob::host
