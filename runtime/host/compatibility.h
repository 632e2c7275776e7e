#pragma once

#include <filesystem>
#include <functional>
#include <string>
#include <vector>

#include "host/descriptor.h"
#include "host/elf_file.h"

namespace hob::host {

// What this hob offers to plugins.
struct HostOffer {
  int sdk_major = 0;
  int sdk_minor = 0;
  std::vector<std::string>
      component_interfaces;                  // that components may implement: "hob.optimizer/1"
  std::vector<std::string> host_interfaces;  // that plugins may call: "hob.ops/1"
  TorchBuild torch;
  // What is wrong with the operators of these schemas, a sentence for each; all are right where it
  // is empty. LibTorch answers it, which this layer does not know.
  std::function<std::vector<std::string>(const std::vector<std::string>&)> incompatible_operators;
};

// One reason to refuse a plugin, as it is shown.
struct Reason {
  std::string needs;  // what the plugin needs, or what it needs to be: "SDK 1.6 or later"
  std::string but;    // what stands against it: "this hob offers SDK 1.4"
  std::string fix;    // what to do about it
};

// Every reason why this hob cannot serve the plugin; none: it may be loaded. The host alone decides
// and runs no code of the plugin. `file` is where the plugin lies, for libraries found by $ORIGIN.
//
// The audit of imports protects against mistakes, not against malice: a plugin is native code.
std::vector<Reason> find_incompatibilities(const PluginDescriptor& descriptor, const ElfFile& elf,
                                           const std::filesystem::path& file,
                                           const HostOffer& offer);

}  // namespace hob::host
