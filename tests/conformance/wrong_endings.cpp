// Components that end their process, never end, or leave it changed.
#include <hob/optimizer.h>
#include <hob/params.h>
#include <hob/schedule.h>

#include <unistd.h>

#include <cfenv>
#include <cstdio>
#include <cstdlib>
#include <stdexcept>

namespace {

struct NoConfig {
  HOB_SCHEMA(NoConfig)
};

template <class Act>
struct Acting : hob::Optimizer<NoConfig> {
  void step(Group& group) override {
    hob::foreach_add_(group.params(), group.grads(), -group.lr());
    if (group.index() == 1) Act()();  // the last one of the suite's
  }
};

struct Hang {
  void operator()() const {
    std::puts("about to wait");
    std::fflush(stdout);
    for (;;) pause();
  }
};
struct Crash {
  void operator()() const {
    std::fputs("about to crash\n", stderr);
    *static_cast<volatile int*>(nullptr) = 1;
  }
};
struct Exit {
  void operator()() const { std::_Exit(0); }
};
struct RoundDown {
  void operator()() const { std::fesetround(FE_DOWNWARD); }
};
struct Draw {
  void operator()() const {
    const float zero = 0;
    hob::normal_(hob::Tensor::from(&zero, HOB_FLOAT32, {}));
  }
};

struct StopsRecording : hob::Schedule<NoConfig> {
  double factor(std::string_view, uint64_t, uint64_t) const override {
    hob::autograd_table().grad_mode(0);
    return 1;
  }
};

// A static object of the plugin's own, which is destroyed after all.
struct AtEnd {
  ~AtEnd() {
    if (armed) std::abort();
  }
  bool armed = false;
} at_end;

struct CrashesAtEnd : hob::Schedule<NoConfig> {
  CrashesAtEnd() { at_end.armed = true; }
  double factor(std::string_view, uint64_t, uint64_t) const override { return 1; }
};

struct ThrowsInConstructor : Acting<Draw> {
  ThrowsInConstructor() { throw std::runtime_error("no luck today"); }
};

struct CrashesInDestructor : Acting<RoundDown> {
  ~CrashesInDestructor() override { std::abort(); }
};

}  // namespace

HOB_PLUGIN("org.example.wrong_endings", "1.0.0", hob::add<Acting<Hang>>("hangs", ""),
           hob::add<Acting<Crash>>("crashes", ""), hob::add<Acting<Exit>>("exits", ""),
           hob::add<Acting<RoundDown>>("rounds_down", ""), hob::add<Acting<Draw>>("draws", ""),
           hob::add<ThrowsInConstructor>("throws_in_constructor", ""),
           hob::add<CrashesInDestructor>("crashes_in_destructor", ""),
           hob::add<StopsRecording>("stops_recording", ""),
           hob::add<CrashesAtEnd>("crashes_at_end", ""))
