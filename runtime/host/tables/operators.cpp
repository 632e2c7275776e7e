#include "host/tables/operators.h"

#include <ATen/core/dispatch/Dispatcher.h>
#include <torch/csrc/jit/frontend/function_schema_parser.h>

#include <exception>
#include <optional>
#include <sstream>

namespace hob::host {
namespace {

// "" where the operator is as the plugin expects it.
std::string find_fault(const std::string& text) {
  std::optional<c10::FunctionSchema> old;
  try {
    old = torch::jit::parseSchema(text);
  } catch (const std::exception&) {
    return "'" + text + "' is no schema that this LibTorch can read";
  }
  const auto current = c10::Dispatcher::singleton().findSchema(old->operator_name());
  if (!current) {
    return "operator " + toString(old->operator_name()) + " does not exist in this LibTorch";
  }
  std::ostringstream why;
  if (current->schema().isBackwardCompatibleWith(*old, &why)) return "";
  std::ostringstream sentence;
  sentence << "operator " << toString(old->operator_name()) << " has changed: the plugin expects "
           << text << ", this LibTorch has " << current->schema();
  return sentence.str();
}

}  // namespace

std::vector<std::string> incompatible_operators(const std::vector<std::string>& schemas) {
  std::vector<std::string> faults;
  for (const std::string& schema : schemas) {
    std::string fault = find_fault(schema);
    if (!fault.empty()) faults.push_back(std::move(fault));
  }
  return faults;
}

}  // namespace hob::host
