#include <hob/abi/transform.h>

#include <cstring>
#include <thread>

#include "base/text.h"
#include "session/verify/guarded_fields.h"
#include "session/verify/stage.h"
#include "session/verify/test.h"

// Transforms: on samples of some usual layouts, the same for the same (seed, epoch, index).

namespace hob::session::verify {
namespace {

hob_field make_field(const char* name, uint32_t dtype, std::initializer_list<int64_t> shape,
                     int64_t classes = 0) {
  hob_field field{};
  field.name = name;
  field.dtype = dtype;
  field.rank = static_cast<uint32_t>(shape.size());
  std::copy(shape.begin(), shape.end(), field.shape);
  field.classes = classes;
  return field;
}

std::vector<std::vector<hob_field>> layouts() {
  const hob_field label = make_field("label", HOB_INT64, {}, 10);
  return {{make_field("image", HOB_UINT8, {3, 32, 32}), label},
          {make_field("image", HOB_UINT8, {1, 28, 28}), label},
          {make_field("image", HOB_FLOAT32, {3, 32, 32}), label},
          {label, make_field("image", HOB_FLOAT32, {1, 17, 13})},
          {make_field("tokens", HOB_INT64, {64})},
          {make_field("features", HOB_FLOAT32, {16}), make_field("target", HOB_FLOAT32, {})}};
}

// A transform that was planned for a layout.
class Planned {
 public:
  Planned(Bench& bench, std::vector<hob_field> in)
      : bench_(bench), stage_(bench), in_(std::move(in)), out_(in_.size()) {
    bench.watch("plan", [&] {
      stage_.instance->call(&hob_transform::plan, in_.data(), static_cast<uint32_t>(in_.size()),
                            out_.data());
    });
    data::check_fields(out_, bench.schema().name);
    for (size_t i = 0; i < in_.size(); ++i) {
      expect(std::strcmp(in_[i].name, out_[i].name) == 0,
             "plan renames the field " + quote(in_[i].name) + " to " + quote(out_[i].name));
    }
  }

  // What becomes of a sample; its own contents follow from the index.
  std::string apply(const hob_sample& sample, unsigned char fill) const {
    GuardedFields in(in_, 0), out(out_, fill);
    for (size_t i = 0; i < in_.size(); ++i) fill_in(in.bytes(i), in_[i], sample.index + i);
    const std::string before = in.contents();
    stage_.instance->call(&hob_transform::apply, &sample, in.views().data(), out.views().data(),
                          static_cast<uint32_t>(in_.size()));
    expect(out.is_intact(), "apply wrote outside of the memory of the fields");
    expect(in.is_intact() && in.contents() == before, "apply changed what it reads from");
    return out.contents();
  }

 private:
  static void fill_in(std::span<unsigned char> bytes, const hob_field& field, uint64_t key) {
    std::mt19937_64 random(key);
    if (field.dtype == HOB_UINT8) {
      for (unsigned char& byte : bytes) byte = static_cast<unsigned char>(random());
    } else if (field.dtype == HOB_FLOAT32) {
      std::normal_distribution<float> normal;
      for (size_t at = 0; at < bytes.size(); at += sizeof(float)) {
        const float value = normal(random);
        std::memcpy(&bytes[at], &value, sizeof value);
      }
    } else {
      for (size_t at = 0; at < bytes.size(); at += sizeof(int64_t)) {
        const auto value = static_cast<int64_t>(random() % 10);
        std::memcpy(&bytes[at], &value, sizeof value);
      }
    }
  }

  Bench& bench_;
  Stage stage_;
  std::vector<hob_field> in_, out_;
};

// Runs a check with the transform planned for each layout that it takes.
void on_each_layout(Bench& bench, const std::function<void(const std::vector<hob_field>&)>& check) {
  std::string refusal;
  int taken = 0;
  for (const std::vector<hob_field>& layout : layouts()) {
    try {
      const Planned planned(bench, layout);
    } catch (const host::PluginError& error) {
      expect(error.code() == HOB_ERROR_INVALID,
             std::string("plan fails otherwise than by HOB_ERROR_INVALID: ") + error.what());
      refusal = error.what();
      continue;
    }
    ++taken;
    check(layout);
  }
  if (taken == 0) throw Skip("it takes none of the layouts that were tried; it says: " + refusal);
  bench.note(std::to_string(taken) + " of " + std::to_string(layouts().size()) + " layouts");
}

std::vector<hob_sample> some_samples(uint64_t seed) {
  std::vector<hob_sample> samples;
  for (uint64_t epoch = 0; epoch < 2; ++epoch) {
    for (uint64_t index = 0; index < 8; ++index) samples.push_back({seed, epoch, index});
  }
  return samples;
}

std::string text(const hob_sample& sample) {
  return "sample " + std::to_string(sample.index) + " of epoch " + std::to_string(sample.epoch);
}

void writes_whole_samples(Bench& bench) {
  on_each_layout(bench, [&](const std::vector<hob_field>& layout) {
    const Planned planned(bench, layout);
    for (const hob_sample& sample : some_samples(bench.seed())) {
      std::string first;
      bench.watch("apply", [&] { first = planned.apply(sample, 0x00); });
      expect(first == planned.apply(sample, 0xff),
             text(sample) +
                 ", done twice, has other bytes: some are left as they were, or differ "
                 "from time to time");
    }
  });
}

void depends_on_the_sample_alone(Bench& bench) {
  on_each_layout(bench, [&](const std::vector<hob_field>& layout) {
    const Planned first(bench, layout), second(bench, layout);
    const std::vector<hob_sample> samples = some_samples(bench.seed());
    std::vector<std::string> expected;
    for (const hob_sample& sample : samples) expected.push_back(first.apply(sample, 0));
    for (size_t i = samples.size(); i-- > 0;) {
      expect(
          second.apply(samples[i], 0) == expected[i],
          text(samples[i]) + " differs in another instance that met the samples in another order");
    }
  });
}

void is_the_same_on_threads(Bench& bench) {
  on_each_layout(bench, [&](const std::vector<hob_field>& layout) {
    const Planned planned(bench, layout);
    const std::vector<hob_sample> samples = some_samples(bench.seed());
    std::vector<std::string> expected;
    for (const hob_sample& sample : samples) expected.push_back(planned.apply(sample, 0));
    std::vector<std::string> complaints(4);
    {
      std::vector<std::jthread> threads;
      for (std::string& complaint : complaints) {
        threads.emplace_back([&] {
          try {
            for (size_t i = 0; i < samples.size(); ++i) {
              if (planned.apply(samples[i], 0) == expected[i]) continue;
              complaint = text(samples[i]) + " differs on another thread";
            }
          } catch (const std::exception& error) {
            complaint = std::string("on another thread: ") + error.what();
          }
        });
      }
    }
    for (const std::string& complaint : complaints) expect(complaint.empty(), complaint);
  });
}

}  // namespace

std::vector<Test> transform_tests() {
  return {{"transform.writes_whole_samples", "transform", writes_whole_samples},
          {"transform.depends_on_the_sample_alone", "transform", depends_on_the_sample_alone},
          {"transform.is_the_same_on_threads", "transform", is_the_same_on_threads}};
}

}  // namespace hob::session::verify
