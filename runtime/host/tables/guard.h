#pragma once

#include <string>
#include <string_view>
#include <utility>

#include "host/tables/handles.h"
#include "host/tables/plugin_error.h"

// The border between the host's exceptions and the ABI's errors: no exception leaves a table's
// function, and an error that comes back from a plugin goes on as an exception.

namespace hob::host {

// A new error. Where not even that can be allocated: one that stands ready, and says so.
hob_error* new_error(int32_t code, std::string_view text) noexcept;
void free_error(hob_error* error) noexcept;

// The exception that is being handled, as an error; LibTorch's own text without its stack trace.
hob_error* current_exception_as_error() noexcept;

// Says where it happened, "[layer 'h.0']", unless that is known more precisely already.
void add_place(hob_error& error, std::string_view place);
// Says in which instance it happened, "compression.0 (lora)", unless that is known already.
void add_instance(hob_error& error, std::string_view label);

// The body of a table's function.
template <class Function>
hob_error* guard(Function&& function) noexcept {
  try {
    function();
    return nullptr;
  } catch (...) {
    return current_exception_as_error();
  }
}

// Throws what a plugin returned as PluginError, and frees it.
void check(hob_error* error);

// The caller is to blame: HOB_ERROR_INVALID.
[[noreturn]] inline void refuse(const std::string& message) {
  throw PluginError(HOB_ERROR_INVALID, message);
}

}  // namespace hob::host
