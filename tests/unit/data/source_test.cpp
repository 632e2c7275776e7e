#include <cstdint>
#include <limits>
#include <string>
#include <vector>

#include <catch2/catch_test_macros.hpp>
#include <catch2/generators/catch_generators.hpp>
#include <catch2/matchers/catch_matchers_string.hpp>

#include "base/error.h"
#include "data/source.h"
#include "unit/data/fake_data.h"

namespace {

using Catch::Matchers::ContainsSubstring;
using Catch::Matchers::Equals;
using hob::Error;
using hob::Fault;
using hob::data::sample_view;
using hob::data::Source;
using hob::test::fake_error;
using hob::test::FakeDataset;
using hob::test::FakeError;
using hob::test::FakeTransform;
using hob::test::make_field;
using hob::test::take_fake_error;
using hob::test::value;

// The error that planning ends with.
Error plan_error(FakeDataset& dataset, std::vector<hob::data::TransformInstance> transforms = {}) {
  try {
    const Source source(dataset.instance(), std::move(transforms), take_fake_error);
  } catch (const Error& error) {
    return error;
  }
  return Error(Fault::kRun, "nothing was thrown");
}

std::string field_error(hob_field field) {
  FakeDataset dataset;
  dataset.fields = {field};
  const Error error = plan_error(dataset);
  CHECK(error.fault() == Fault::kPlugin);
  return error.what();
}

// Turns int64 ids into float32 pairs (id, id * factor).
FakeTransform pairs(float factor) {
  FakeTransform transform;
  transform.on_plan = [](std::span<const hob_field>, hob_field* out) -> hob_error* {
    *out = make_field("id", HOB_FLOAT32, {2});
    return nullptr;
  };
  transform.on_apply = [factor](const hob_sample&, auto in, auto out) -> hob_error* {
    const auto id = static_cast<float>(value<std::int64_t>(in[0]));
    float* to = &value<float>(out[0]);
    to[0] = id;
    to[1] = id * factor;
    return nullptr;
  };
  return transform;
}

// Adds `summand` to both numbers of a pair.
FakeTransform shift(float summand) {
  FakeTransform transform;
  transform.on_apply = [summand](const hob_sample&, auto in, auto out) -> hob_error* {
    CHECK(in[0].data != out[0].data);
    for (int i = 0; i < 2; ++i) (&value<float>(out[0]))[i] = (&value<float>(in[0]))[i] + summand;
    return nullptr;
  };
  return transform;
}

}  // namespace

TEST_CASE("a source without transforms has the dataset's size and fields", "[data]") {
  FakeDataset dataset;
  dataset.samples = 9;
  dataset.fields = {make_field("image", HOB_UINT8, {3, 4, 5}),
                    make_field("label", HOB_INT64, {}, 10)};
  const Source source(dataset.instance(), {}, take_fake_error);
  CHECK(source.size() == 9);
  REQUIRE(source.fields().size() == 2);
  CHECK(std::string(source.fields()[0].name) == "image");
  CHECK(hob::data::field_bytes(source.fields()[0]) == 60);
  CHECK(source.fields()[1].classes == 10);
  CHECK(hob::data::field_bytes(source.fields()[1]) == 8);
}

TEST_CASE("the names of fields are the source's own", "[data]") {
  FakeDataset dataset;
  std::string name = "id";
  dataset.fields[0].name = name.c_str();
  Source first(dataset.instance(), {}, take_fake_error);
  name = "xx";
  const Source source = std::move(first);
  CHECK(std::string(source.fields()[0].name) == "id");
}

TEST_CASE("a sample passes through all transforms in order", "[data]") {
  const std::size_t count = GENERATE(1u, 2u, 3u, 4u);
  FakeDataset dataset;
  std::vector<FakeTransform> transforms{pairs(10), shift(1), shift(2), shift(4)};
  std::vector<hob::data::TransformInstance> instances;
  for (std::size_t i = 0; i < count; ++i) instances.push_back(transforms[i].instance());
  const Source source(dataset.instance(), instances, take_fake_error);

  const float sum[] = {0, 0, 1, 3, 7};
  float out[2] = {};
  Source::Scratch scratch = source.make_scratch();
  const hob_view view = sample_view(source.fields()[0], out);
  REQUIRE_FALSE(source.read(3, 0, std::span(&view, 1), scratch));
  CHECK(out[0] == 3 + sum[count]);
  CHECK(out[1] == 30 + sum[count]);
}

TEST_CASE("views between transforms are contiguous and on 64-byte boundaries", "[data]") {
  FakeDataset dataset;
  dataset.fields = {make_field("odd", HOB_UINT8, {3}), make_field("grid", HOB_FLOAT64, {2, 3})};
  dataset.on_read = [](std::uint64_t, std::span<const hob_view>) -> hob_error* { return nullptr; };
  FakeTransform transform;
  int calls = 0;
  transform.on_apply = [&](const hob_sample&, auto in, auto) -> hob_error* {
    ++calls;
    CHECK(reinterpret_cast<std::uintptr_t>(in[0].data) % 64 == 0);
    CHECK(reinterpret_cast<std::uintptr_t>(in[1].data) % 64 == 0);
    CHECK(in[1].dtype == HOB_FLOAT64);
    CHECK(in[1].rank == 2);
    CHECK(in[1].shape[1] == 3);
    CHECK(in[1].stride[0] == 3);
    CHECK(in[1].stride[1] == 1);
    return nullptr;
  };
  const Source source(dataset.instance(), {transform.instance(), transform.instance()},
                      take_fake_error);
  Source::Scratch scratch = source.make_scratch();
  std::uint8_t odd[3];
  double grid[6];
  const hob_view views[] = {sample_view(source.fields()[0], odd),
                            sample_view(source.fields()[1], grid)};
  REQUIRE_FALSE(source.read(0, 0, views, scratch));
  CHECK(calls == 2);
}

TEST_CASE("a transform is told seed, epoch and index", "[data]") {
  FakeDataset dataset;
  FakeTransform transform;
  hob_sample seen{};
  transform.on_apply = [&](const hob_sample& sample, auto, auto) -> hob_error* {
    seen = sample;
    return nullptr;
  };
  const Source source(dataset.instance(), {transform.instance(77)}, take_fake_error);
  std::int64_t out = 0;
  Source::Scratch scratch = source.make_scratch();
  const hob_view view = sample_view(source.fields()[0], &out);
  REQUIRE_FALSE(source.read(5, 2, std::span(&view, 1), scratch));
  CHECK(seen.seed == 77);
  CHECK(seen.epoch == 2);
  CHECK(seen.index == 5);
}

// case LDR-01
TEST_CASE("a dataset without samples is refused before training", "[data]") {
  FakeDataset dataset;
  dataset.samples = 0;
  const Error error = plan_error(dataset);
  CHECK(error.fault() == Fault::kUsage);
  CHECK_THAT(error.what(), ContainsSubstring("dataset.train (fake)") &&
                               ContainsSubstring("0 samples, at least 1 is needed"));
}

TEST_CASE("a dataset of more samples than can be is refused", "[data]") {
  FakeDataset dataset;
  dataset.samples = std::numeric_limits<std::uint64_t>::max();
  const Error error = plan_error(dataset);
  CHECK(error.fault() == Fault::kPlugin);
  CHECK_THAT(error.what(), ContainsSubstring("18446744073709551615 samples"));
}

TEST_CASE("fields that break the contract are refused by name and number", "[data]") {
  CHECK_THAT(field_error(make_field(nullptr, HOB_UINT8, {})),
             ContainsSubstring("field 0 has no name"));
  CHECK_THAT(field_error(make_field("", HOB_UINT8, {})), ContainsSubstring("field 0 has no name"));
  const std::string long_name(300, 'x');
  CHECK_THAT(field_error(make_field(long_name.c_str(), HOB_UINT8, {})),
             ContainsSubstring("too long a name") && ContainsSubstring("255"));
  CHECK_THAT(field_error(make_field("id", 9, {})),
             ContainsSubstring("'id' has the element type 9"));
  hob_field deep = make_field("id", HOB_UINT8, {1});
  deep.rank = 9;
  CHECK_THAT(field_error(deep), ContainsSubstring("9 dimensions; at most 8"));
  deep.rank = std::numeric_limits<std::uint32_t>::max();
  CHECK_THAT(field_error(deep), ContainsSubstring("4294967295 dimensions"));
  CHECK_THAT(field_error(make_field("id", HOB_UINT8, {4, 0})),
             ContainsSubstring("0 elements in dimension 1; there must be at least 1"));
  CHECK_THAT(field_error(make_field("id", HOB_UINT8, {-3})), ContainsSubstring("-3 elements"));
  CHECK_THAT(field_error(make_field("id", HOB_INT64, {std::int64_t{1} << 61})),
             ContainsSubstring("at most"));
  CHECK_THAT(field_error(make_field("id", HOB_INT64, {1 << 30, 1 << 30, 1 << 30})),
             ContainsSubstring("dimension 1"));
  CHECK_THAT(field_error(make_field("id", HOB_INT64, {}, -1)), ContainsSubstring("-1 classes"));
  CHECK_THAT(field_error(make_field("id", HOB_FLOAT32, {}, 10)),
             ContainsSubstring("class labels are uint8, int32 or int64"));
}

TEST_CASE("a sample needs fields, not too many, and each its own name", "[data]") {
  FakeDataset dataset;
  dataset.fields.clear();
  CHECK_THAT(plan_error(dataset).what(), ContainsSubstring("a sample has no fields"));
  dataset.fields = {make_field("a", HOB_UINT8, {}), make_field("a", HOB_UINT8, {})};
  CHECK_THAT(plan_error(dataset).what(), ContainsSubstring("field 'a' comes twice"));
  dataset.on_fields = [](hob_field*, std::uint32_t* count) -> hob_error* {
    *count = 1000;
    return nullptr;
  };
  CHECK_THAT(plan_error(dataset).what(), ContainsSubstring("1000 fields; at most 16"));
}

TEST_CASE("a batch of the deepest arrays has no place for its own dimension", "[data]") {
  FakeDataset dataset;
  dataset.fields = {make_field("deep", HOB_UINT8, {1, 1, 1, 1, 1, 1, 1, 2})};
  CHECK_THAT(plan_error(dataset).what(), ContainsSubstring("'deep' ends with 8 dimensions"));

  FakeTransform flatten;
  flatten.on_plan = [](std::span<const hob_field>, hob_field* out) -> hob_error* {
    *out = make_field("deep", HOB_UINT8, {1, 1, 1, 1, 1, 1, 2});
    return nullptr;
  };
  CHECK_NOTHROW(Source(dataset.instance(), {flatten.instance()}, take_fake_error));
}

TEST_CASE("a transform's plan is checked as a dataset's fields are", "[data]") {
  FakeDataset dataset;
  FakeTransform transform;
  hob_field planned = make_field("renamed", HOB_INT64, {});
  transform.on_plan = [&](std::span<const hob_field>, hob_field* out) -> hob_error* {
    *out = planned;
    return nullptr;
  };
  CHECK_THAT(plan_error(dataset, {transform.instance(0, "transform.0 (fake)")}).what(),
             Equals("transform.0 (fake): field 'id' became 'renamed'; a transform must keep names "
                    "and their order"));
  planned = make_field("id", HOB_INT64, {0});
  CHECK_THAT(plan_error(dataset, {transform.instance()}).what(), ContainsSubstring("0 elements"));
  planned = hob_field{};  // it wrote nothing
  CHECK_THAT(plan_error(dataset, {transform.instance()}).what(), ContainsSubstring("no name"));
}

TEST_CASE("what a plugin rejects at planning is the recipe's fault, other errors the run's",
          "[data]") {
  const auto [code, fault] = GENERATE(table<std::int32_t, Fault>({
      {HOB_ERROR_INVALID, Fault::kUsage},
      {HOB_ERROR_DATA, Fault::kUsage},
      {HOB_ERROR_UNSUPPORTED, Fault::kUsage},
      {HOB_ERROR_FAILED, Fault::kRun},
      {99, Fault::kRun},
  }));
  FakeDataset dataset;
  FakeTransform transform;
  transform.on_plan = [code = code](std::span<const hob_field>, hob_field*) {
    return fake_error(code, "wants an image");
  };
  const Error in_plan = plan_error(dataset, {transform.instance(0, "transform.0 (crop)")});
  CHECK(in_plan.fault() == fault);
  CHECK_THAT(in_plan.what(), Equals("transform.0 (crop): wants an image"));
  dataset.on_size = [code = code](std::uint64_t*) { return fake_error(code, "no such folder"); };
  const Error in_size = plan_error(dataset);
  CHECK(in_size.fault() == fault);
  CHECK_THAT(in_size.what(), Equals("dataset.train (fake): no such folder"));
  CHECK(FakeError::alive == 0);
}

TEST_CASE("a failure says dataset, sample, transform and the plugin's text", "[data]") {
  FakeDataset dataset;
  FakeTransform transform;
  transform.on_apply = [](const hob_sample&, auto, auto) {
    return fake_error(HOB_ERROR_DATA, "too small to crop");
  };
  const Source source(dataset.instance(), {transform.instance(0, "transform.0 (crop)")},
                      take_fake_error);
  std::int64_t out = 0;
  Source::Scratch scratch = source.make_scratch();
  const hob_view view = sample_view(source.fields()[0], &out);
  auto failure = source.read(3, 0, std::span(&view, 1), scratch);
  REQUIRE(failure);
  CHECK(failure->bad_sample);
  CHECK(failure->text == "dataset.train (fake): sample 3: transform.0 (crop): too small to crop");

  dataset.on_read = [](std::uint64_t, std::span<const hob_view>) {
    return fake_error(HOB_ERROR_FAILED, "the disk is gone");
  };
  failure = source.read(4, 0, std::span(&view, 1), scratch);
  REQUIRE(failure);
  CHECK_FALSE(failure->bad_sample);
  CHECK(failure->text == "dataset.train (fake): sample 4: the disk is gone");
  CHECK(FakeError::alive == 0);
}

// case MET-05
TEST_CASE("a label outside of its classes is caught, whatever its type", "[data]") {
  const auto [dtype, label, ok] = GENERATE(table<std::uint32_t, std::int64_t, bool>({
      {HOB_INT64, 0, true},
      {HOB_INT64, 2, true},
      {HOB_INT64, 3, false},
      {HOB_INT64, -1, false},
      {HOB_INT32, 2, true},
      {HOB_INT32, -100, false},
      {HOB_UINT8, 2, true},
      {HOB_UINT8, 255, false},
  }));
  FakeDataset dataset;
  dataset.fields = {make_field("label", dtype, {2}, 3)};
  dataset.on_read = [dtype = dtype, label = label](std::uint64_t, auto out) -> hob_error* {
    // The second of two labels; little endian.
    std::memset(out[0].data, 0, 2 * hob::data::dtype_size(dtype));
    std::memcpy(static_cast<char*>(out[0].data) + hob::data::dtype_size(dtype), &label,
                hob::data::dtype_size(dtype));
    return nullptr;
  };
  const Source source(dataset.instance(), {}, take_fake_error);
  std::int64_t memory[2];
  Source::Scratch scratch = source.make_scratch();
  const hob_view view = sample_view(source.fields()[0], memory);
  const auto failure = source.read(6, 0, std::span(&view, 1), scratch);
  REQUIRE(failure.has_value() == !ok);
  if (ok) return;
  CHECK_FALSE(failure->bad_sample);
  CHECK(failure->text == "dataset.train (fake): sample 6 has label " + std::to_string(label) +
                             " in field 'label'; there are 3 classes, labelled 0 to 2: correct "
                             "the label or the number of classes");
}
