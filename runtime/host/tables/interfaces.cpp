#include <hob/abi/callback.h>
#include <hob/abi/compression.h>
#include <hob/abi/dataset.h>
#include <hob/abi/memory.h>
#include <hob/abi/metric.h>
#include <hob/abi/model.h>
#include <hob/abi/monitor.h>
#include <hob/abi/objective.h>
#include <hob/abi/optimizer.h>
#include <hob/abi/precision.h>
#include <hob/abi/schedule.h>
#include <hob/abi/transform.h>

#include <cstddef>
#include <cstring>
#include <iterator>

#include "host/descriptor.h"
#include "host/tables/instance.h"
#include "host/tables/tables.h"

// Which tables this hob has for plugins, and which it expects of them.

namespace hob::host {
namespace {

struct HostInterface {
  const char* id;
  const void* table;
};

const HostInterface kHostInterfaces[] = {
    {HOB_CORE_INTERFACE, &kCoreTable},         {HOB_OPS_INTERFACE, &kOpsTable},
    {HOB_AUTOGRAD_INTERFACE, &kAutogradTable}, {HOB_CUDA_INTERFACE, &kCudaTable},
    {HOB_PARAMS_INTERFACE, &kParamsTable},     {HOB_SOCKETS_INTERFACE, &kSocketsTable},
    {HOB_SEGMENTS_INTERFACE, &kSegmentsTable},
};

const void* find_host_interface(const char* id) noexcept {
  for (const HostInterface& interface : kHostInterfaces) {
    if (id && std::strcmp(interface.id, id) == 0) return interface.table;
  }
  return nullptr;
}

struct RequiredFunction {
  const char* name;
  size_t offset;
};

struct ComponentInterface {
  const char* id;
  std::vector<RequiredFunction> functions;  // in the table's order

  // The least struct_size: a table of an older SDK may lack what came later.
  size_t bytes() const { return functions.back().offset + sizeof(void (*)()); }
};

#define HOB_REQUIRED(type, function)    \
  RequiredFunction {                    \
#function, offsetof(type, function) \
  }

const std::vector<ComponentInterface>& known_components() {
  static const std::vector<ComponentInterface> known = {
      {HOB_MODEL_INTERFACE, {HOB_REQUIRED(hob_model, inputs), HOB_REQUIRED(hob_model, forward)}},
      {HOB_DATASET_INTERFACE,
       {HOB_REQUIRED(hob_dataset, size), HOB_REQUIRED(hob_dataset, fields),
        HOB_REQUIRED(hob_dataset, read)}},
      {HOB_TRANSFORM_INTERFACE,
       {HOB_REQUIRED(hob_transform, plan), HOB_REQUIRED(hob_transform, apply)}},
      {HOB_OBJECTIVE_INTERFACE,
       {HOB_REQUIRED(hob_objective, terms), HOB_REQUIRED(hob_objective, weights),
        HOB_REQUIRED(hob_objective, sums)}},
      {HOB_METRIC_INTERFACE,
       {HOB_REQUIRED(hob_metric, results), HOB_REQUIRED(hob_metric, sums),
        HOB_REQUIRED(hob_metric, finish)}},
      {HOB_OPTIMIZER_INTERFACE, {HOB_REQUIRED(hob_optimizer, step)}},
      {HOB_SCHEDULE_INTERFACE, {HOB_REQUIRED(hob_schedule, factor)}},
      {HOB_PRECISION_INTERFACE, {HOB_REQUIRED(hob_precision, plan)}},
      {HOB_COMPRESSION_INTERFACE,
       {HOB_REQUIRED(hob_compression, attach), HOB_REQUIRED(hob_compression, finalize)}},
      {HOB_MEMORY_INTERFACE, {HOB_REQUIRED(hob_memory, attach)}},
      {HOB_CALLBACK_INTERFACE,
       {HOB_REQUIRED(hob_callback, attach), HOB_REQUIRED(hob_callback, interest),
        HOB_REQUIRED(hob_callback, on_event)}},
      {HOB_MONITOR_INTERFACE,
       {HOB_REQUIRED(hob_monitor, interest), HOB_REQUIRED(hob_monitor, on_event)}},
  };
  return known;
}

std::string check_state(const hob_component_table& table) {
  if (!table.save != !table.load) {
    return std::string("it has ") + (table.save ? "save but no load" : "load but no save");
  }
  if (table.save && table.state_version == 0) return "its state_version is 0; versions begin at 1";
  return "";
}

}  // namespace

const hob_host* host_table() {
  static const hob_host table = {.struct_size = sizeof(hob_host),
                                 .abi_major = HOB_ABI_MAJOR,
                                 .abi_minor = HOB_ABI_MINOR,
                                 .reserved = 0,
                                 .interface = find_host_interface};
  return &table;
}

std::vector<std::string> host_interfaces() {
  std::vector<std::string> ids;
  for (const HostInterface& interface : kHostInterfaces) ids.push_back(interface.id);
  return ids;
}

std::vector<std::string> component_interfaces() {
  std::vector<std::string> ids;
  for (const ComponentInterface& interface : known_components()) ids.push_back(interface.id);
  return ids;
}

TorchBuild torch_build() {
  return {.version = HOB_TORCH_VERSION,
          .git = HOB_TORCH_GIT,
          .cuda = HOB_TORCH_CUDA,
          .cxx11_abi = _GLIBCXX_USE_CXX11_ABI};
}

std::string check_component(const recipe::ComponentSchema& schema, const hob_component& component) {
  for (const ComponentInterface& known : known_components()) {
    if (schema.interface != known.id) continue;
    const hob_component_table& table = *component.table;
    if (table.struct_size < known.bytes()) {
      return "its table's struct_size is " + std::to_string(table.struct_size) + ", and " +
             known.id + " has " + std::to_string(known.bytes()) + " bytes at least";
    }
    for (const RequiredFunction& function : known.functions) {
      void (*pointer)() = nullptr;
      std::memcpy(&pointer, reinterpret_cast<const char*>(&table) + function.offset,
                  sizeof(pointer));
      if (!pointer) return std::string(function.name) + " is NULL";
    }
    return check_state(table);
  }
  return "this hob runs no " + schema.interface;
}

}  // namespace hob::host
