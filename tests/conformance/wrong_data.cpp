// Datasets and transforms that are wrong in one thing each, which their names tell.
#include <hob/dataset.h>
#include <hob/transform.h>

#include <atomic>

namespace {

struct NoConfig {
  HOB_SCHEMA(NoConfig)
};

struct Numbers : hob::Dataset<NoConfig> {
  uint64_t size() const override { return 100; }
  std::vector<hob::Field> fields() const override {
    return {hob::field("image", HOB_INT64, {4}), hob::field("label", HOB_INT64, {}, 10)};
  }
  void read(uint64_t index, std::span<const hob::View> out) const override {
    auto* image = static_cast<int64_t*>(out[0].data);
    std::fill(image, image + 4, static_cast<int64_t>(index));
    *static_cast<int64_t*>(out[1].data) = static_cast<int64_t>(index % 10);
  }
};

struct IsEmpty : Numbers {
  uint64_t size() const override { return 0; }
};

struct WritesTooMuch : Numbers {
  void read(uint64_t index, std::span<const hob::View> out) const override {
    Numbers::read(index, out);
    static_cast<int64_t*>(out[0].data)[4] = 1;
  }
};

struct LeavesAGap : Numbers {
  void read(uint64_t index, std::span<const hob::View> out) const override {
    auto* image = static_cast<int64_t*>(out[0].data);
    const int64_t before = image[2];
    Numbers::read(index, out);
    image[2] = before;
  }
};

// Labels are checked by the loader, and hence here.
struct WrongLabels : Numbers {
  void read(uint64_t index, std::span<const hob::View> out) const override {
    Numbers::read(index, out);
    *static_cast<int64_t*>(out[1].data) = 10;
  }
};

struct DiffersByInstance : Numbers {
  void read(uint64_t index, std::span<const hob::View> out) const override {
    Numbers::read(index, out);
    static_cast<int64_t*>(out[0].data)[0] = made;
  }
  int64_t made = ++count;
  static inline int64_t count = 0;
};

struct Copies : hob::Transform<NoConfig> {
  std::vector<hob::Field> plan(std::span<const hob::Field> in) override {
    return {in.begin(), in.end()};
  }
  void apply(const hob_sample&, std::span<const hob::View> in,
             std::span<const hob::View> out) const override {
    for (size_t i = 0; i < in.size(); ++i) hob::copy(in[i], out[i]);
  }
};

struct Renames : Copies {
  std::vector<hob::Field> plan(std::span<const hob::Field> in) override {
    std::vector<hob::Field> out(in.begin(), in.end());
    out[0].name = "renamed";
    return out;
  }
};

struct ChangesItsInput : Copies {
  void apply(const hob_sample& sample, std::span<const hob::View> in,
             std::span<const hob::View> out) const override {
    ++*static_cast<unsigned char*>(in[0].data);
    Copies::apply(sample, in, out);
  }
};

// Random numbers from the order of calls, not from the sample.
struct DependsOnOrder : Copies {
  void apply(const hob_sample& sample, std::span<const hob::View> in,
             std::span<const hob::View> out) const override {
    Copies::apply(sample, in, out);
    *static_cast<unsigned char*>(out[0].data) = static_cast<unsigned char>(++calls);
  }
  mutable std::atomic<int> calls = 0;
};

}  // namespace

HOB_PLUGIN("org.example.wrong_data", "1.0.0",
           hob::add<Numbers>("numbers", "Nothing is wrong with it"),
           hob::add<IsEmpty>("is_empty", ""), hob::add<WritesTooMuch>("writes_too_much", ""),
           hob::add<LeavesAGap>("leaves_a_gap", ""), hob::add<WrongLabels>("wrong_labels", ""),
           hob::add<DiffersByInstance>("differs_by_instance", ""), hob::add<Renames>("renames", ""),
           hob::add<ChangesItsInput>("changes_its_input", ""),
           hob::add<DependsOnOrder>("depends_on_order", ""))
