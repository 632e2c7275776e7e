#include <ATen/core/dispatch/Dispatcher.h>

#include <map>
#include <memory>
#include <mutex>
#include <set>
#include <sstream>
#include <utility>

#include "base/text.h"
#include "host/tables/guard.h"
#include "host/tables/list.h"
#include "host/tables/op_argument.h"
#include "host/tables/tables.h"

// hob.ops/1: LibTorch's operators through its dispatcher.

// An operator with all that a call needs, looked up once.
struct hob_op {
  c10::OperatorHandle handle;
  std::vector<hob::host::OpArgument> arguments;
};

namespace hob::host {
namespace {

std::string schema_text(const hob_op& op) {
  std::ostringstream text;
  text << op.handle.schema();
  return text.str();
}

[[noreturn]] void refuse_unknown(const c10::OperatorName& wanted) {
  std::set<std::string> names;
  std::vector<std::string> overloads;
  for (const c10::OperatorName& known : c10::Dispatcher::singleton().getAllOpNames()) {
    names.insert(known.name);
    if (known.name == wanted.name) overloads.push_back(known.overload_name);
  }
  const std::string message = "this LibTorch has no operator '" + toString(wanted) + "'";
  if (overloads.empty()) {
    refuse(message + did_you_mean(wanted.name, std::vector(names.begin(), names.end())));
  }
  refuse(message + "; the overloads of " + wanted.name + " are " + quote_all(overloads));
}

std::unique_ptr<hob_op> look_up(const c10::OperatorName& name) {
  const auto handle = c10::Dispatcher::singleton().findSchema(name);
  if (!handle) refuse_unknown(name);
  auto op = std::make_unique<hob_op>(hob_op{*handle, {}});
  for (const c10::Argument& argument : handle->schema().arguments()) {
    op->arguments.emplace_back(argument);
  }
  return op;
}

// Handles are interned, and stay: plugins keep them for ever.
hob_op& intern(const c10::OperatorName& name) {
  static std::mutex mutex;
  static auto& known = *new std::map<std::string, std::unique_ptr<hob_op>>;
  const std::lock_guard lock(mutex);
  std::unique_ptr<hob_op>& op = known[toString(name)];
  if (!op) op = look_up(name);
  return *op;
}

// A stack whose memory is that of this thread's call before; a call inside of a call has one of its
// own.
class CallStack {
 public:
  CallStack() : stack_(std::exchange(spare_, {})) {}
  ~CallStack() {
    stack_.clear();
    spare_ = std::move(stack_);
  }
  CallStack(const CallStack&) = delete;
  CallStack& operator=(const CallStack&) = delete;

  torch::jit::Stack& operator*() { return stack_; }

 private:
  static thread_local torch::jit::Stack spare_;
  torch::jit::Stack stack_;
};
thread_local torch::jit::Stack CallStack::spare_;

void push_arguments(const hob_op& op, const hob_value* args, uint32_t n_args,
                    torch::jit::Stack& stack) {
  const std::vector<OpArgument>& arguments = op.arguments;
  if (n_args > arguments.size()) {
    refuse(std::to_string(n_args) + " arguments were given, at most " +
           std::to_string(arguments.size()) + " are taken");
  }
  for (uint32_t i = 0; i < n_args; ++i) stack.push_back(arguments[i].convert(args[i]));
  for (size_t i = n_args; i < arguments.size(); ++i) {
    if (!arguments[i].default_value()) refuse("argument '" + arguments[i].name() + "' is missing");
    stack.push_back(*arguments[i].default_value());
  }
}

// A mistake of the caller's, with the schema beside it; LibTorch's own errors stay as they are.
void push_or_explain(const hob_op& op, const hob_value* args, uint32_t n_args,
                     torch::jit::Stack& stack) {
  try {
    push_arguments(op, args, n_args, stack);
  } catch (const PluginError& error) {
    refuse(std::string(error.what()) + "; the operator is " + schema_text(op));
  }
}

bool can_return(const c10::IValue& value) {
  return value.isTensor() || value.isTensorList() || value.isInt() || value.isDouble() ||
         value.isBool() || value.isNone();
}

hob_value to_result(c10::IValue value) {
  hob_value result{};
  if (value.isTensor()) {
    if (!value.toTensor().defined()) return result;
    result.kind = HOB_VALUE_TENSOR;
    result.as.tensor = give(std::move(value).toTensor());
  } else if (value.isTensorList()) {
    result.kind = HOB_VALUE_LIST;
    result.as.list = make_list(value.toTensorVector());
  } else if (value.isInt()) {
    result.kind = HOB_VALUE_INT;
    result.as.i = value.toInt();
  } else if (value.isDouble()) {
    result.kind = HOB_VALUE_FLOAT;
    result.as.f = value.toDouble();
  } else if (value.isBool()) {
    result.kind = HOB_VALUE_BOOL;
    result.as.i = value.toBool() ? 1 : 0;
  }
  return result;
}

hob_error* find(const char* name, const char* overload, hob_op** out) noexcept {
  return guard([&] {
    if (!name || !overload) refuse("an operator is looked up by NULL");
    *out = &intern(c10::OperatorName(name, overload));
  });
}

hob_error* call(hob_op* op, const hob_value* args, uint32_t n_args, hob_value* results,
                uint32_t n_results) noexcept {
  return guard([&] {
    const size_t n_returns = op->handle.schema().returns().size();
    if (n_results > n_returns) {
      refuse(std::to_string(n_results) + " results are wanted, there are " +
             std::to_string(n_returns) + "; the operator is " + schema_text(*op));
    }
    CallStack lease;
    torch::jit::Stack& stack = *lease;
    push_or_explain(*op, args, n_args, stack);
    op->handle.callBoxed(stack);
    for (uint32_t i = 0; i < n_results; ++i) {
      if (can_return(stack[i])) continue;
      throw PluginError(HOB_ERROR_UNSUPPORTED,
                        "result " + std::to_string(i) +
                            " cannot be handed to a plugin; the operator is " + schema_text(*op));
    }
    for (uint32_t i = 0; i < n_results; ++i) results[i] = to_result(std::move(stack[i]));
  });
}

}  // namespace

const hob_ops kOpsTable = {
    .struct_size = sizeof(hob_ops), .reserved = 0, .find = find, .call = call};

}  // namespace hob::host
