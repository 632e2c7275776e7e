#include "host/tables/guard.h"

#include <c10/util/Exception.h>

#include <memory>
#include <new>

namespace hob::host {
namespace {

hob_error* out_of_memory() {
  static hob_error error{.code = HOB_ERROR_OUT_OF_MEMORY, .text = "out of host memory"};
  return &error;
}

// LibTorch reports a failed allocation on the CPU as a plain error.
bool is_out_of_memory(const std::string& text) {
  return text.find("DefaultCPUAllocator: ") != std::string::npos &&
         text.find("you tried to allocate") != std::string::npos;
}

hob_error* describe_current() {
  try {
    throw;
  } catch (const PluginError& error) {
    return new hob_error(error.error());
  } catch (const Error& error) {
    return new_error(error.fault() == Fault::kUsage ? HOB_ERROR_INVALID : HOB_ERROR_FAILED,
                     error.what());
  } catch (const c10::OutOfMemoryError& error) {
    return new_error(HOB_ERROR_OUT_OF_MEMORY, error.what_without_backtrace());
  } catch (const c10::Error& error) {
    const std::string text = error.what_without_backtrace();
    return new_error(is_out_of_memory(text) ? HOB_ERROR_OUT_OF_MEMORY : HOB_ERROR_FAILED, text);
  } catch (const std::bad_alloc&) {
    return out_of_memory();
  } catch (const std::exception& error) {
    return new_error(HOB_ERROR_FAILED, error.what());
  } catch (...) {
    return new_error(HOB_ERROR_FAILED, "an exception of an unknown type");
  }
}

}  // namespace

hob_error* new_error(int32_t code, std::string_view text) noexcept {
  try {
    return new hob_error{.code = code, .text = std::string(text)};
  } catch (const std::bad_alloc&) {
    return out_of_memory();
  }
}

void free_error(hob_error* error) noexcept {
  if (error != out_of_memory()) delete error;
}

hob_error* current_exception_as_error() noexcept {
  try {
    return describe_current();
  } catch (...) {  // only copying a text can have failed
    return out_of_memory();
  }
}

void add_place(hob_error& error, std::string_view place) {
  if (error.placed || &error == out_of_memory()) return;
  error.text.append(" [").append(place).append("]");
  error.placed = true;
}

void add_instance(hob_error& error, std::string_view label) {
  if (error.instance.empty() && &error != out_of_memory()) error.instance = label;
}

void check(hob_error* error) {
  if (!error) return;
  hob_error copy = *error;
  free_error(error);
  throw PluginError(std::move(copy));
}

}  // namespace hob::host
