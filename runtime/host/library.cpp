#include "host/library.h"

#include <hob/abi/entry.h>
#include "base/error.h"
#include "host/demangle.h"

#define BOOST_DLL_USE_STD_FS
#include <boost/dll/shared_library.hpp>

#include <cxxabi.h>
#include <dlfcn.h>
#include <cstddef>
#include <exception>
#include <system_error>

namespace hob::host {
namespace {

using Entry = hob_error* (*)(const hob_host*, const hob_plugin**);

// Up to the last field that every plugin has: the structs grow at the end.
constexpr std::size_t kPluginBytes = offsetof(hob_plugin, components) + sizeof(void*);
constexpr std::size_t kComponentBytes = offsetof(hob_component, table) + sizeof(void*);
constexpr std::size_t kTableBytes = offsetof(hob_component_table, interface) + sizeof(void*);

[[noreturn]] void fail(const Plugin& plugin, const std::string& what, const std::string& fix) {
  throw Error(Fault::kPlugin, "plugin '" + plugin.descriptor.id + "' " + plugin.descriptor.version +
                                  " cannot be loaded\n  file     " + plugin.file.string() +
                                  "  sha256 " + plugin.sha256 + "\n  found    " + what +
                                  "\n  fix      " + fix);
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

Entry open(const Plugin& plugin) {
  // RTLD_NODELETE: the library stays when the handle closes at the end of this function.
  constexpr auto kMode = static_cast<boost::dll::load_mode::type>(
      boost::dll::load_mode::rtld_now | boost::dll::load_mode::rtld_local | RTLD_NODELETE);
  std::error_code failed;
  boost::dll::shared_library library;
  library.load(plugin.file, failed, kMode);
  // Boost would add a "Bad file descriptor" of its own: the loader's text alone is the reason.
  if (failed) {
    fail(plugin, loader_error(),
         "install what is missing, or build the plugin again for this system");
  }
  // Not library.get<>(): it does not tell a missing symbol from one whose address is wrong.
  dlerror();
  void* symbol = dlsym(library.native(), "hob_plugin_main");
  if (symbol == nullptr) {
    fail(plugin, "no exported function hob_plugin_main",
         "link the plugin with hob_add_plugin() or the SDK's hob_plugin.map");
  }
  return reinterpret_cast<Entry>(symbol);
}

const hob_plugin* call_entry(const Plugin& plugin, Entry entry, const LoadContext& context) {
  const std::string fix = "this is a fault of the plugin: report it to its author";
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
  if (!thrown.empty()) fail(plugin, "hob_plugin_main threw " + thrown, fix);
  if (error != nullptr) {
    fail(plugin, "hob_plugin_main failed: " + context.take_error(error),
         "see what it says, or ask the plugin's author");
  }
  if (table == nullptr) fail(plugin, "hob_plugin_main gave no table", fix);
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
