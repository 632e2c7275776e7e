#pragma once

#include <hob/abi/callback.h>
#include <hob/abi/monitor.h>
#include <hob/plugin.h>

#include <cmath>
#include <span>

namespace hob {

// Which events an instance wants: Interest{HOB_EVENT_UPDATE_END, 10} is every tenth update.
struct Interest {
  uint32_t events = 0;   // hob_event_kind bits
  uint64_t period = 1;   // of UPDATE_END, in updates
  bool scalars = false;  // UPDATE_END brings loss, lr, ...: waits for the device
};

// An event of the loop; borrowed. <hob/abi/events.h> says when each comes.
class Event {
 public:
  explicit Event(const hob_event* event) : event_(event) {}

  const hob_event* operator->() const { return event_; }
  std::span<const hob_scalar> scalars() const { return {event_->scalars, event_->n_scalars}; }
  // The scalar of that name; NaN where there is none.
  double scalar(std::string_view name) const {
    for (const hob_scalar& s : scalars()) {
      if (name == s.name) return s.value;
    }
    return std::nan("");
  }

 private:
  const hob_event* event_;
};

namespace detail {

template <class T>
auto interest_thunk() {
  return [](void* self, hob_interest* out) {
    return guard([&] {
      const Interest interest = static_cast<const T*>(self)->interest();
      out->events = interest.events;
      out->period = interest.period;
      out->wants_scalars = interest.scalars ? 1 : 0;
    });
  };
}
template <class T>
auto event_thunk() {
  return [](void* self, const hob_event* event) {
    return guard([&] { static_cast<T*>(self)->on_event(Event(event)); });
  };
}

}  // namespace detail

// Base of callbacks: act on events, where <hob/abi/events.h> says so.
template <class Config>
class Callback : public Component<Config> {
 public:
  static constexpr std::string_view kKind = "callback";
  static constexpr std::string_view kInterface = HOB_CALLBACK_INTERFACE;

  virtual void attach() {}                        // the model stands [load]
  virtual Interest interest() const = 0;          // [load]
  virtual void on_event(const Event& event) = 0;  // [main]

  template <class T>
  static hob_callback make_table() {
    return {detail::component_table<T>(sizeof(hob_callback)),
            [](void* self) { return detail::guard([&] { static_cast<T*>(self)->attach(); }); },
            detail::interest_thunk<T>(), detail::event_thunk<T>()};
  }
};

// Base of monitors: read events, and change nothing.
template <class Config>
class Monitor : public Component<Config> {
 public:
  static constexpr std::string_view kKind = "monitor";
  static constexpr std::string_view kInterface = HOB_MONITOR_INTERFACE;

  virtual Interest interest() const = 0;          // [load]
  virtual void on_event(const Event& event) = 0;  // [main]

  template <class T>
  static hob_monitor make_table() {
    return {detail::component_table<T>(sizeof(hob_monitor)), detail::interest_thunk<T>(),
            detail::event_thunk<T>()};
  }
};

}  // namespace hob
