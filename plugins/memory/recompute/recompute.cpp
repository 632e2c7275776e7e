#include <hob/memory.h>
#include <hob/names.h>

// Keeps a segment's inputs only, and runs it again in the backward pass: less memory for about a
// third more computing. Chen et al., "Training Deep Nets with Sublinear Memory Cost" (2016).

namespace {

struct RecomputeConfig {
  std::vector<std::string> segments;
  HOB_SCHEMA(RecomputeConfig, HOB_PARAM(segments, hob::strings("*"), hob::cosmetic, hob::resumable,
                                        "patterns of the segments' names"))
};

class Recompute : public hob::Memory<RecomputeConfig> {
 public:
  void attach() override {
    for (const std::string& pattern : config.segments) {
      const std::vector<hob_segment*> found = hob::find_segments(env(), pattern.c_str());
      if (found.empty()) refuse(pattern);
      for (hob_segment* segment : found) hob::set_mode(env(), segment, HOB_SEGMENT_RECOMPUTE);
    }
  }

 private:
  [[noreturn]] void refuse(const std::string& pattern) const {
    std::vector<std::string> names;
    for (const hob_segment* segment : hob::find_segments(env(), "*"))
      names.push_back(segment->name);
    throw hob::Error("segments = '" + pattern + "' matches no segment of the model; " +
                         hob::nearest_names(pattern, names),
                     HOB_ERROR_INVALID);
  }
};

}  // namespace

HOB_PLUGIN("org.hob.recompute", "0.1.0",
           hob::add<Recompute>("recompute", "Runs segments again instead of keeping their insides"))
