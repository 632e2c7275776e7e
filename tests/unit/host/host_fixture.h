#pragma once

#include "host/registry.h"

#include <filesystem>
#include <string>

namespace hob::test {

// What the host of these tests offers. The plugins of tests/bad_plugins are made for it.
inline host::HostOffer test_offer() {
  host::HostOffer offer;
  offer.sdk_major = 1;
  offer.sdk_minor = 0;
  offer.component_interfaces = {"hob.optimizer/1", "hob.schedule/1"};
  offer.host_interfaces = {"hob.core/1", "hob.ops/1", "hob.sockets/2"};
  offer.torch = {"9.8.7", "abc", "", 1};
  return offer;
}

// A plugin that tests/bad_plugins/CMakeLists.txt builds.
inline std::filesystem::path bad_plugin(const std::string& name) {
  return std::filesystem::path(HOB_BAD_PLUGINS) / (name + ".so");
}

// Copies a plugin of tests/bad_plugins into a folder, which is made where it does not exist.
inline std::filesystem::path copy_plugin(const std::string& name,
                                         const std::filesystem::path& folder,
                                         const std::string& as = "") {
  std::filesystem::create_directories(folder);
  const std::filesystem::path to = folder / (as.empty() ? name + ".so" : as);
  std::filesystem::copy_file(bad_plugin(name), to);
  return to;
}

inline host::Registry scan(const std::filesystem::path& entry,
                           const host::HostOffer& offer = test_offer()) {
  return host::Registry({{entry}, {}}, offer);
}

}  // namespace hob::test
