#include <hob/abi/memory.h>

#include "unit/plugins/torch/plugin_run.h"

using namespace hob;
using namespace hob::test;
using Catch::Matchers::ContainsSubstring;

namespace {

struct RecomputeRun : Run {
  hob_segment* add(const char* name) {
    hob_segment* out = nullptr;
    ok(segments().add(&model, name, &out));
    return out;
  }
  hob_segment* outer = add("layer1");
  hob_segment* inner = add("layer1.0");
  hob_segment* other = add("head");

  void attach(const Overrides& overrides) {
    first_party()
        .make(component("org.hob.recompute", overrides), "memory.0", 1, &world)
        ->call(&hob_memory::attach);
  }
};

}  // namespace

TEST_CASE("recompute sets the outermost segments that match", "[recompute]") {
  RecomputeRun run;
  run.attach({{"segments", std::string("layer*")}});
  CHECK(run.outer->mode == HOB_SEGMENT_RECOMPUTE);
  CHECK(run.inner->mode == HOB_SEGMENT_KEEP);
  CHECK(run.other->mode == HOB_SEGMENT_KEEP);
}

TEST_CASE("recompute refuses a pattern that matches nothing, and names what is near",
          "[recompute]") {
  RecomputeRun run;
  CHECK_THAT(message_of([&] {
               run.attach({{"segments", std::string("layr1")}});
             }),
             ContainsSubstring("segments = 'layr1' matches no segment of the model; the nearest "
                               "are: 'layer1', 'head'"));
}
