#include "host/compatibility.h"

#include "base/text.h"
#include "host/demangle.h"
#include "host/library_lookup.h"

#include <algorithm>
#include <array>
#include <string_view>

namespace hob::host {
namespace {

constexpr std::string_view kEntry = "hob_plugin_main";
const char* const kRebuild = "rebuild the plugin with this hob's SDK";

bool contains(const std::vector<std::string>& all, const std::string& one) {
  return std::find(all.begin(), all.end(), one) != all.end();
}

std::string sdk_text(int major, int minor) {
  return "SDK " + std::to_string(major) + "." + std::to_string(minor);
}

void check_sdk(const PluginDescriptor& plugin, const HostOffer& offer,
               std::vector<Reason>& reasons) {
  const std::string but = "this hob offers " + sdk_text(offer.sdk_major, offer.sdk_minor);
  if (plugin.sdk_major != offer.sdk_major) {
    reasons.push_back({sdk_text(plugin.sdk_major, 0) + " or a later one of the same major number",
                       but, kRebuild});
  } else if (plugin.sdk_minor > offer.sdk_minor) {
    reasons.push_back({sdk_text(plugin.sdk_major, plugin.sdk_minor) + " or later", but,
                       std::string(kRebuild) + ", or use a newer hob"});
  }
}

// `offered` may hold another number of the same interface: then it is a draft that has changed.
void check_interface(const std::string& needed, const std::vector<std::string>& offered,
                     const std::string& user, std::vector<Reason>& reasons) {
  if (contains(offered, needed)) return;
  const std::string stem = needed.substr(0, needed.find('/') + 1);
  std::vector<std::string> others;
  std::copy_if(offered.begin(), offered.end(), std::back_inserter(others),
               [&](const std::string& id) { return id.starts_with(stem); });
  const std::string needs = needed + " (" + user + ")";
  if (others.empty()) {
    reasons.push_back({needs, "this hob offers no " + stem.substr(0, stem.size() - 1),
                       "use a newer hob, or " + std::string(kRebuild)});
  } else {
    reasons.push_back({needs, "this hob offers " + join(others, ", "), kRebuild});
  }
}

void check_interfaces(const PluginDescriptor& plugin, const HostOffer& offer,
                      std::vector<Reason>& reasons) {
  for (const auto& component : plugin.components) {
    check_interface(component.interface, offer.component_interfaces,
                    "of its " + component.kind + " \"" + component.name + "\"", reasons);
  }
  for (const std::string& id : plugin.host_interfaces) {
    check_interface(id, offer.host_interfaces, "which it calls", reasons);
  }
}

void check_torch_field(const std::string& name, const std::string& needed,
                       const std::string& offered, std::vector<Reason>& reasons) {
  if (needed == offered) return;
  const auto shown = [](const std::string& value) { return value.empty() ? "none" : value; };
  reasons.push_back({"LibTorch " + name + " " + shown(needed),
                     "this hob runs on LibTorch " + name + " " + shown(offered),
                     "rebuild the plugin against this hob's LibTorch"});
}

void check_torch(const TorchBuild& needed, const TorchBuild& offered,
                 std::vector<Reason>& reasons) {
  check_torch_field("version", needed.version, offered.version, reasons);
  check_torch_field("git", needed.git, offered.git, reasons);
  check_torch_field("CUDA", needed.cuda, offered.cuda, reasons);
  check_torch_field("cxx11_abi", std::to_string(needed.cxx11_abi),
                    std::to_string(offered.cxx11_abi), reasons);
}

bool starts_with_any(std::string_view text, std::initializer_list<std::string_view> starts) {
  return std::any_of(starts.begin(), starts.end(),
                     [&](std::string_view start) { return text.starts_with(start); });
}

// A symbol that LibTorch defines: its C shim, or a C++ name in one of its namespaces, also their
// vtables, type infos and guards. In mangled form: N, qualifiers, then length and name.
bool is_torch_symbol(std::string_view symbol) {
  if (starts_with_any(symbol, {"torch_", "aoti_torch_"})) return true;
  if (!symbol.starts_with("_Z")) return false;
  symbol.remove_prefix(2);
  if (starts_with_any(symbol, {"TV", "TT", "TI", "TS", "GV"})) symbol.remove_prefix(2);
  if (!symbol.starts_with("N")) return false;
  symbol.remove_prefix(std::min(symbol.find_first_not_of("rVKRO", 1), symbol.size()));
  return starts_with_any(symbol, {"2at", "3c10", "4c10d", "5torch", "6caffe2"});
}

bool is_torch_library(std::string_view name) {
  return starts_with_any(name, {"libtorch", "libc10"});
}

bool is_shared_torch_library(std::string_view name) {
  static constexpr std::array<std::string_view, 7> kNames = {
      "libtorch.so", "libtorch_cpu.so", "libtorch_cuda.so",       "libtorch_cuda_linalg.so",
      "libc10.so",   "libc10_cuda.so",  "libtorch_global_deps.so"};
  return std::find(kNames.begin(), kNames.end(), name) != kNames.end();
}

void check_stable_tier(const ElfFile& elf, std::vector<Reason>& reasons) {
  constexpr std::size_t kShown = 3;
  constexpr const char* kFix =
      "use the SDK's operators in place of LibTorch's, or build it as a native plugin "
      "(find_package(hob COMPONENTS native))";
  std::vector<std::string> symbols, libraries;
  std::copy_if(elf.imports.begin(), elf.imports.end(), std::back_inserter(symbols),
               is_torch_symbol);
  std::copy_if(elf.needed.begin(), elf.needed.end(), std::back_inserter(libraries),
               is_torch_library);
  if (!symbols.empty()) {
    const std::size_t count = symbols.size();
    symbols.resize(std::min(count, kShown));
    std::transform(symbols.begin(), symbols.end(), symbols.begin(), demangle);
    if (count > kShown) symbols.push_back("and " + std::to_string(count - kShown) + " more");
    reasons.push_back({"symbols of LibTorch: " + join(symbols, ", "),
                       "it is of the stable tier, which may import none", kFix});
  }
  if (!libraries.empty()) {
    reasons.push_back(
        {join(libraries, ", "), "it is of the stable tier, which may not link LibTorch", kFix});
  }
}

void check_libraries(const PluginDescriptor& plugin, const ElfFile& elf,
                     const std::filesystem::path& file, std::vector<Reason>& reasons) {
  for (const std::string& name : elf.needed) {
    if (starts_with_any(name, {"libomp", "libiomp5"})) {
      reasons.push_back(
          {name, "this hob has an OpenMP (libgomp.so.1), and a second one would clash with it",
           "build the plugin with GCC's -fopenmp, or without OpenMP"});
    } else if (is_torch_library(name)) {
      // Of the stable tier this is told by the audit of imports.
      if (plugin.tier == Tier::kNative && !is_shared_torch_library(name)) {
        reasons.push_back({name, "it is not of this hob's LibTorch, and a process holds only one",
                           "link the LibTorch that find_package(hob COMPONENTS native) names"});
      } else if (plugin.tier == Tier::kNative && !can_find_library(name, elf, file)) {
        reasons.push_back({name, "this hob's LibTorch is built without it",
                           "rebuild the plugin without " + name});
      }
    } else if (!can_find_library(name, elf, file)) {
      reasons.push_back({"the library " + name,
                         "it is not found by RUNPATH, LD_LIBRARY_PATH or ldconfig",
                         "install " + name +
                             ", or put it beside the plugin and link that with "
                             "-Wl,-rpath,'$ORIGIN'"});
    }
  }
}

void check_operators(const PluginDescriptor& plugin, const HostOffer& offer,
                     std::vector<Reason>& reasons) {
  if (!offer.incompatible_operators) return;
  for (const std::string& fault : offer.incompatible_operators(plugin.operator_schemas)) {
    reasons.push_back({"LibTorch's operators as they were when it was built", fault,
                       std::string(kRebuild) + ", or use a hob with the LibTorch it was made for"});
  }
}

}  // namespace

std::vector<Reason> find_incompatibilities(const PluginDescriptor& descriptor, const ElfFile& elf,
                                           const std::filesystem::path& file,
                                           const HostOffer& offer) {
  std::vector<Reason> reasons;
  check_sdk(descriptor, offer, reasons);
  // Of another major number the interfaces' ids say nothing.
  if (descriptor.sdk_major == offer.sdk_major) check_interfaces(descriptor, offer, reasons);
  if (descriptor.torch) {
    check_torch(*descriptor.torch, offer.torch, reasons);
  } else {
    check_stable_tier(elf, reasons);
  }
  check_operators(descriptor, offer, reasons);
  check_libraries(descriptor, elf, file, reasons);
  if (!contains(elf.exports, std::string(kEntry))) {
    reasons.push_back({"the exported function " + std::string(kEntry), "the file has none",
                       "link the plugin with hob_add_plugin() or the SDK's hob_plugin.map"});
  }
  return reasons;
}

}  // namespace hob::host
