#pragma once

#include <hob/abi/core.h>
#include <hob/abi/entry.h>
#include <hob/abi/ops.h>
#include <hob/detail/note.h>

#include <atomic>
#include <cstring>
#include <exception>
#include <memory>
#include <new>
#include <string>
#include <string_view>
#include <utility>

// The host's tables, and errors: how a C error becomes an exception inside a plugin, and how no
// exception ever leaves one.

namespace hob {
namespace detail {

// Set by the entry that HOB_PLUGIN defines. One copy per plugin: visibility is hidden.
inline const hob_host* host = nullptr;

[[noreturn]] void raise_missing_table(const char* id);

}  // namespace detail

// Defines an accessor of one of the host's tables. Using it records the need in the descriptor, so
// that a host without the table refuses the plugin before it runs.
#define HOB_HOST_TABLE(accessor, type, id)                                  \
  inline const type& accessor() {                                           \
    HOB_EMIT_NOTE(3, id);                                                   \
    static std::atomic<const type*> known = nullptr;                        \
    const type* table = known.load(std::memory_order_relaxed);              \
    if (!table) [[unlikely]] {                                              \
      table = static_cast<const type*>(::hob::detail::host->interface(id)); \
      if (!table) ::hob::detail::raise_missing_table(id);                   \
      known.store(table, std::memory_order_relaxed);                        \
    }                                                                       \
    return *table;                                                          \
  }

HOB_HOST_TABLE(core, hob_core, "hob.core/1")
HOB_HOST_TABLE(ops, hob_ops, "hob.ops/1")

// An error, raised by the host or by a plugin's author: throw hob::Error("...") anywhere in a
// plugin. Its text reaches the user with the component's name in front.
class Error : public std::exception {
 public:
  explicit Error(std::string_view text, int32_t code = HOB_ERROR_FAILED)
      : Error(core().error_new(code, text.data(), text.size())) {}
  explicit Error(hob_error* owned) : owned_(std::make_shared<Owned>(owned)) {}

  const char* what() const noexcept override {
    return owned_->error ? core().error_text(owned_->error) : "an error that was handed over";
  }
  int32_t code() const { return core().error_code(owned_->error); }
  // Hands the error itself over to the caller of the C function that this exception leaves: the
  // host knows of it in which instance and layer it happened. The exception ends with it.
  hob_error* to_c() const noexcept { return std::exchange(owned_->error, nullptr); }

 private:
  struct Owned {
    explicit Owned(hob_error* e) : error(e) {}
    ~Owned() { core().error_free(error); }
    hob_error* error;
  };
  std::shared_ptr<Owned> owned_;  // shared: exceptions are copied while they are thrown
};

// Raises what a function of the host returned.
inline void check(hob_error* error) {
  if (error) [[unlikely]]
    throw Error(error);
}

namespace detail {

inline void raise_missing_table(const char* id) {
  throw Error("this hob does not offer the interface '" + std::string(id) + "'",
              HOB_ERROR_UNSUPPORTED);
}

inline hob_error* error_of(std::string_view text, int32_t code) noexcept {
  return core().error_new(code, text.data(), text.size());
}

// Runs a plugin's function; whatever it throws becomes an error of the host's.
template <class Function>
hob_error* guard(Function&& function) noexcept {
  try {
    function();
    return nullptr;
  } catch (const Error& error) {
    hob_error* handed_over = error.to_c();
    return handed_over ? handed_over : error_of(error.what(), HOB_ERROR_FAILED);
  } catch (const std::bad_alloc&) {
    return error_of("out of host memory", HOB_ERROR_OUT_OF_MEMORY);
  } catch (const std::exception& error) {
    return error_of(error.what(), HOB_ERROR_FAILED);
  } catch (...) {
    return error_of("an exception of an unknown type", HOB_ERROR_FAILED);
  }
}

}  // namespace detail
}  // namespace hob
