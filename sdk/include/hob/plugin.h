#pragma once

#include <hob/component.h>

#include <array>

// HOB_PLUGIN("org.example.lion", "1.0.0", hob::add<Lion>("lion", "..."), ...) at file scope, once:
// writes the descriptor, and defines the entry.

namespace hob::detail {

template <class Make>
hob_error* plugin_main(Make, const hob_host* given, const hob_plugin** out) noexcept {
  host = given;
  return guard([&] {
    // Static, as the host keeps them until the process ends.
    static constexpr auto definition = Make{}();
    static const auto components = std::apply(
        [](const auto&... c) {
          return std::array<hob_component, sizeof...(c)>{hob_component{
              .struct_size = sizeof(hob_component),
              .reserved = 0,
              .kind = c.info.kind.data(),
              .name = c.info.name.data(),
              .interface = c.info.interface.data(),
              .table = table_of<typename std::remove_cvref_t<decltype(c)>::Type>(),
          }...};
        },
        definition.components);
    static const auto pointers = [] {
      std::array<const hob_component*, std::tuple_size_v<decltype(components)>> result{};
      for (size_t i = 0; i < result.size(); ++i) result[i] = &components[i];
      return result;
    }();
    static const hob_plugin plugin{sizeof(hob_plugin), static_cast<uint32_t>(pointers.size()),
                                   pointers.data()};
    *out = &plugin;
  });
}

template <class... T>
constexpr Definition<Added<T>...> define(std::string_view id, std::string_view version,
                                         Added<T>... added) {
  return {id, version, {added...}};
}

}  // namespace hob::detail

#define HOB_PLUGIN(id, version, ...)                                                              \
  namespace {                                                                                     \
  struct HobPluginDefinition {                                                                    \
    constexpr auto operator()() const { return ::hob::detail::define(id, version, __VA_ARGS__); } \
  };                                                                                              \
  __attribute__((section(".note.hob"), used, aligned(4))) constexpr auto hob_descriptor_note =    \
      ::hob::detail::descriptor_note(HobPluginDefinition{});                                      \
  }                                                                                               \
  extern "C" hob_error* hob_plugin_main(const hob_host* host, const hob_plugin** plugin) {        \
    return ::hob::detail::plugin_main(HobPluginDefinition{}, host, plugin);                       \
  }
