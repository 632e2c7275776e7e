#include <hob/memory.h>
#include <hob/names.h>

// Keeps a segment's inputs only, and runs it again in the backward pass: less memory for about a
// third more computing. Chen et al., "Training Deep Nets with Sublinear Memory Cost" (2016).

namespace {

struct RecomputeConfig {
  std::string segments;
  HOB_SCHEMA(RecomputeConfig, HOB_PARAM(segments, "*", hob::cosmetic, hob::resumable,
                                        "pattern of the names of the segments"))
};

class Recompute : public hob::Memory<RecomputeConfig> {
 public:
  void attach() override {
    const auto found = hob::find_segments(env(), config.segments.c_str());
    if (found.empty()) refuse();
    for (hob_segment* segment : found) hob::set_mode(env(), segment, HOB_SEGMENT_RECOMPUTE);
  }

 private:
  [[noreturn]] void refuse() const {
    std::vector<std::string> names;
    for (const hob_segment* s : hob::find_segments(env(), "*")) names.push_back(s->name);
    throw hob::Error("segments = '" + config.segments + "' matches no segment of the model; " +
                         hob::nearest_names(config.segments, names),
                     HOB_ERROR_INVALID);
  }
};

}  // namespace

HOB_PLUGIN("org.hob.recompute", "0.1.0",
           hob::add<Recompute>("recompute", "Runs segments again instead of keeping their insides"))
