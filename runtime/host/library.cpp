#include "host/library.h"

#include <hob/abi/entry.h>
#include "base/error.h"
#include "host/demangle.h"

#define BOOST_DLL_USE_STD_FS
#include <boost/dll/shared_library.hpp>

#include <cxxabi.h>
#include <dlfcn.h>
#include <cstddef>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <string_view>
#include <system_error>
#include <typeinfo>

namespace hob::host {
namespace {

using Entry = hob_error* (*)(const hob_host*, const hob_plugin**);

// Up to the last field that every plugin has: the structs grow at the end.
constexpr std::size_t kPluginBytes = offsetof(hob_plugin, components) + sizeof(void*);
constexpr std::size_t kComponentBytes = offsetof(hob_component, table) + sizeof(void*);
constexpr std::size_t kTableBytes = offsetof(hob_component_table, interface) + sizeof(void*);

constexpr const char* kReport = "this is a fault of the plugin: report it to its author";

std::string failure(const Plugin& plugin, const std::string& found, const std::string& fix) {
  const PluginDescriptor& descriptor = plugin.descriptor;
  return "plugin '" + descriptor.id + "' " + descriptor.version + " cannot be loaded\n  file     " +
         plugin.file.string() + "  sha256 " + plugin.sha256 + "\n  found    " + found +
         "\n  fix      " + fix;
}

[[noreturn]] void fail(const Plugin& plugin, const std::string& found, const std::string& fix) {
  throw Error(Fault::kPlugin, failure(plugin, found, fix));
}

// The loader's text, with the C++ name of an undefined symbol.
std::string loader_error() {
  const char* text = dlerror();
  if (text == nullptr) return "the loader gave no reason";
  std::string error = text;
  constexpr std::string_view kUndefined = "undefined symbol: ";
  const std::size_t at = error.find(kUndefined);
  if (at == std::string::npos) return error;
  const std::string rest = error.substr(at + kUndefined.size());
  const std::string symbol = rest.substr(0, rest.find_first_of(", \t("));
  const std::string name = demangle(symbol);
  return name == symbol ? error : error + ", that is " + name;
}

// The type of the exception being handled; it need not be a std::exception.
std::string current_exception_type() {
  const std::type_info* type = abi::__cxa_current_exception_type();
  return type == nullptr ? "an exception of another language" : demangle(type->name());
}

// The plugin whose static constructors may be running on this thread.
thread_local const Plugin* loading = nullptr;

// Whether an exception of a static constructor can leave dlopen depends on the compiler, and where
// it can, it leaves the loader's own state half done. So the process always ends, but says why.
[[noreturn]] void end_of_load() {
  if (loading == nullptr) std::abort();  // another thread's exception
  std::string thrown = current_exception_type();
  try {
    if (std::current_exception()) throw;
  } catch (const std::exception& exception) {
    thrown += std::string(": ") + exception.what();
  } catch (...) {
  }
  const std::string text =
      failure(*loading, "a static constructor of the plugin threw " + thrown, kReport);
  std::fprintf(stderr, "error: %s\n", text.c_str());
  std::fflush(stderr);
  std::_Exit(static_cast<int>(Fault::kPlugin));
}

// Not inlined: the compilers take dlopen's word that it throws nothing, and would leave out of the
// caller what ends an exception.
[[gnu::noinline]] void load_now(boost::dll::shared_library& library, const Plugin& plugin,
                                std::error_code& failed) {
  // RTLD_NODELETE: the library stays when the handle is closed.
  constexpr auto kMode = static_cast<boost::dll::load_mode::type>(
      boost::dll::load_mode::rtld_now | boost::dll::load_mode::rtld_local | RTLD_NODELETE);
  library.load(plugin.file, failed, kMode);
}

void load_or_end(boost::dll::shared_library& library, const Plugin& plugin,
                 std::error_code& failed) noexcept {
  const std::terminate_handler before = std::set_terminate(end_of_load);
  loading = &plugin;
  load_now(library, plugin, failed);
  loading = nullptr;
  std::set_terminate(before);
}

Entry open(const Plugin& plugin) {
  std::error_code failed;
  boost::dll::shared_library library;
  load_or_end(library, plugin, failed);
  // Boost would add a "Bad file descriptor" of its own: the loader's text alone is the reason.
  if (failed) {
    fail(plugin, loader_error(),
         "install what is missing, or build the plugin again for this system");
  }
  void* symbol = dlsym(library.native(), "hob_plugin_main");
  if (symbol == nullptr) {
    fail(plugin, "no exported function hob_plugin_main",
         "link the plugin with hob_add_plugin() or the SDK's hob_plugin.map");
  }
  return reinterpret_cast<Entry>(symbol);
}

const hob_plugin* call_entry(const Plugin& plugin, Entry entry, const LoadContext& context) {
  const hob_plugin* table = nullptr;
  hob_error* error = nullptr;
  std::string thrown;
  try {
    error = entry(context.host, &table);
  } catch (const std::exception& exception) {
    thrown = current_exception_type() + ": " + exception.what();
  } catch (...) {
    thrown = current_exception_type();
  }
  if (!thrown.empty()) fail(plugin, "hob_plugin_main threw " + thrown, kReport);
  if (error != nullptr) {
    fail(plugin, "hob_plugin_main failed: " + context.take_error(error),
         "see what it says, or ask the plugin's author");
  }
  if (table == nullptr) fail(plugin, "hob_plugin_main gave no table", kReport);
  return table;
}

// What is wrong with a component of the table; "" when nothing is.
std::string find_fault(const recipe::ComponentSchema& schema, const hob_component* component,
                       const LoadContext& context) {
  if (component == nullptr) return "it is NULL";
  if (component->struct_size < kComponentBytes) {
    return "its struct_size is " + std::to_string(component->struct_size) + ", at least " +
           std::to_string(kComponentBytes) + " are needed";
  }
  if (component->kind == nullptr || component->name == nullptr || component->interface == nullptr) {
    return "its kind, name or interface is NULL";
  }
  if (schema.kind != component->kind || schema.name != component->name ||
      schema.interface != component->interface) {
    return std::string("the table has ") + component->kind + " \"" + component->name + "\" of " +
           component->interface;
  }
  const hob_component_table* table = component->table;
  if (table == nullptr) return "its table is NULL";
  if (table->struct_size < kTableBytes) {
    return "its table's struct_size is " + std::to_string(table->struct_size) + ", at least " +
           std::to_string(kTableBytes) + " are needed";
  }
  if (table->create == nullptr || table->destroy == nullptr) return "create or destroy is NULL";
  return context.check_component(schema, *component);
}

void check_table(const Plugin& plugin, const hob_plugin& table, const LoadContext& context) {
  const std::string fix = "build the plugin again with the SDK's HOB_PLUGIN, from one source";
  const auto& schemas = plugin.descriptor.components;
  if (table.struct_size < kPluginBytes) {
    fail(plugin,
         "hob_plugin.struct_size is " + std::to_string(table.struct_size) + ", at least " +
             std::to_string(kPluginBytes) + " are needed",
         fix);
  }
  if (table.n_components != schemas.size()) {
    fail(plugin,
         "the table has " + std::to_string(table.n_components) + " components, the descriptor " +
             std::to_string(schemas.size()),
         fix);
  }
  if (table.components == nullptr) fail(plugin, "the table's list of components is NULL", fix);
  for (std::size_t i = 0; i < schemas.size(); ++i) {
    const std::string fault = find_fault(schemas[i], table.components[i], context);
    if (fault.empty()) continue;
    fail(plugin,
         "component " + std::to_string(i) + ", by the descriptor " + schemas[i].kind + " \"" +
             schemas[i].name + "\" of " + schemas[i].interface + ": " + fault,
         fix);
  }
}

}  // namespace

const hob_plugin* load_library(const Plugin& plugin, const LoadContext& context) {
  const hob_plugin* table = call_entry(plugin, open(plugin), context);
  check_table(plugin, *table, context);
  return table;
}

}  // namespace hob::host
