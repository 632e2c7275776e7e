#include <catch2/catch_test_macros.hpp>
#include <catch2/matchers/catch_matchers_string.hpp>
#include <cstring>
#include <set>

#include "unit/plugins/fake_host.h"

using namespace hob::test;
using Catch::Matchers::ContainsSubstring;
using Floats = std::vector<double>;
using Ints = std::vector<int64_t>;

namespace {

template <class T>
std::vector<T> values(Array array) {
  const auto span = array.as<T>();
  return {span.begin(), span.end()};
}

// Elements 1, 2, 3, ... so that none is the zero of a padding.
template <class T>
Array counting(const hob_field& field) {
  Array array(field);
  T next = 1;
  for (T& value : array.as<T>()) value = next++;
  return array;
}

std::string message(const std::string& plugin, const Overrides& overrides, const hob_field& image) {
  try {
    const PlannedTransform transform(plugin, overrides, image);
  } catch (const PluginFailure& failure) {
    return failure.what();
  }
  return "no error";
}

}  // namespace

TEST_CASE("normalize takes bytes as x / 255 and each channel by its own numbers", "[normalize]") {
  const hob_field field = make_field("image", HOB_UINT8, {2, 1, 2});
  const PlannedTransform normalize("normalize",
                                   {{"mean", Floats{0.5, 0.25}}, {"std", Floats{0.5, 2.0}}}, field);
  CHECK(normalize.image().dtype == HOB_FLOAT32);
  Array image(field);
  const uint8_t pixels[] = {0, 255, 51, 255};
  std::memcpy(image.as<uint8_t>().data(), pixels, 4);
  CHECK(values<float>(normalize.apply(image, {})) ==
        std::vector<float>{-1, 1, (51 / 255.0f - 0.25f) / 2, 0.375f});
}

TEST_CASE("normalize takes floats as they are, and one number for all channels", "[normalize]") {
  const hob_field field = make_field("image", HOB_FLOAT32, {2, 1, 1});
  const PlannedTransform normalize("normalize", {{"mean", Floats{1}}, {"std", Floats{2}}}, field);
  CHECK(values<float>(normalize.apply(counting<float>(field), {})) == std::vector<float>{0, 0.5f});
}

TEST_CASE("normalize refuses numbers for another count of channels, and other types",
          "[normalize]") {
  const hob_field field = make_field("image", HOB_UINT8, {3, 1, 1});
  CHECK_THAT(message("normalize", {{"mean", Floats{0, 0}}, {"std", Floats{1}}}, field),
             ContainsSubstring("mean has 2 numbers") && ContainsSubstring("3 channels"));
  CHECK_THAT(message("normalize", {{"mean", Floats{0}}, {"std", Floats{}}}, field),
             ContainsSubstring("std has 0 numbers"));
  CHECK_THAT(message("normalize", {{"mean", Floats{0}}, {"std", Floats{1}}},
                     make_field("image", HOB_INT64, {3, 1, 1})),
             ContainsSubstring("neither uint8 nor float32"));
}

TEST_CASE("a transform whose field is not there names those that are", "[transform]") {
  CHECK_THAT(message("flip", {{"field", std::string("picture")}},
                     make_field("image", HOB_UINT8, {1, 2, 2})),
             ContainsSubstring("no field 'picture'") && ContainsSubstring("'image', 'label'"));
}

TEST_CASE("flip mirrors every row, in any type", "[flip]") {
  const hob_field bytes = make_field("image", HOB_UINT8, {1, 2, 3});
  const PlannedTransform always("flip", {{"p", 1.0}}, bytes);
  CHECK(values<uint8_t>(always.apply(counting<uint8_t>(bytes), {})) ==
        std::vector<uint8_t>{3, 2, 1, 6, 5, 4});
  const hob_field doubles = make_field("image", HOB_FLOAT64, {2, 1, 2});
  const PlannedTransform wide("flip", {{"p", 1.0}}, doubles);
  CHECK(values<double>(wide.apply(counting<double>(doubles), {})) ==
        std::vector<double>{2, 1, 4, 3});
}

TEST_CASE("flip leaves images as they are with p = 0, and flips about half with 0.5", "[flip]") {
  const hob_field field = make_field("image", HOB_UINT8, {1, 1, 2});
  const PlannedTransform never("flip", {{"p", 0.0}}, field);
  const PlannedTransform half("flip", {}, field);
  int flipped = 0;
  for (uint64_t i = 0; i < 1000; ++i) {
    CHECK(values<uint8_t>(never.apply(counting<uint8_t>(field), {1, 0, i}))[0] == 1);
    flipped += values<uint8_t>(half.apply(counting<uint8_t>(field), {1, 0, i}))[0] == 2;
  }
  CHECK(flipped > 430);  // 4.4 standard deviations of the binomial distribution
  CHECK(flipped < 570);
}

TEST_CASE("random_crop cuts windows of the padded image and no others", "[random_crop]") {
  const hob_field field = make_field("image", HOB_INT16, {2, 3, 3});
  const PlannedTransform crop("random_crop", {{"size", int64_t{4}}, {"padding", int64_t{1}}},
                              field);
  CHECK(Ints(crop.image().shape, crop.image().shape + 3) == Ints{2, 4, 4});
  Array image = counting<int16_t>(field);
  const auto pixels = image.as<int16_t>();
  const auto padded = [&](int64_t c, int64_t y, int64_t x) -> int16_t {
    if (y < 1 || y > 3 || x < 1 || x > 3) return 0;
    return pixels[static_cast<size_t>((c * 3 + y - 1) * 3 + x - 1)];
  };
  std::set<std::vector<int16_t>> windows;
  for (int64_t top = 0; top <= 1; ++top) {
    for (int64_t left = 0; left <= 1; ++left) {
      std::vector<int16_t> window;
      for (int64_t i = 0; i < 32; ++i) {
        window.push_back(padded(i / 16, top + i / 4 % 4, left + i % 4));
      }
      windows.insert(window);
    }
  }
  std::set<std::vector<int16_t>> seen;
  for (uint64_t i = 0; i < 300; ++i) {
    const auto window = values<int16_t>(crop.apply(image, {5, 0, i}));
    CHECK(windows.contains(window));
    seen.insert(window);
  }
  CHECK(seen == windows);
}

TEST_CASE("random_crop copies with a window much smaller than the padding", "[random_crop]") {
  const hob_field field = make_field("image", HOB_UINT8, {1, 1, 1});
  const PlannedTransform crop("random_crop", {{"size", int64_t{1}}, {"padding", int64_t{3}}},
                              field);
  std::set<uint8_t> seen;
  for (uint64_t i = 0; i < 500; ++i) {
    seen.insert(values<uint8_t>(crop.apply(counting<uint8_t>(field), {1, 0, i}))[0]);
  }
  CHECK(seen == std::set<uint8_t>{0, 1});
}

TEST_CASE("random_crop refuses a window that does not fit", "[random_crop]") {
  const hob_field field = make_field("image", HOB_UINT8, {1, 28, 28});
  CHECK_THAT(message("random_crop", {{"size", int64_t{32}}, {"padding", int64_t{1}}}, field),
             ContainsSubstring("no window of 32 x 32") && ContainsSubstring("(1, 28, 28)"));
  CHECK(message("random_crop", {{"size", int64_t{32}}, {"padding", int64_t{2}}}, field) ==
        "no error");
}

// case LDR-03
TEST_CASE("an augmentation depends on seed, epoch and sample, and on nothing else", "[transform]") {
  const hob_field field = make_field("image", HOB_INT16, {1, 64, 64});
  const PlannedTransform crop("random_crop", {{"size", int64_t{64}}, {"padding", int64_t{32}}},
                              field);
  const Array image = counting<int16_t>(field);
  std::set<std::vector<int16_t>> seen;
  for (uint64_t epoch = 0; epoch < 2; ++epoch) {
    for (uint64_t index = 0; index < 8; ++index) {
      const auto first = values<int16_t>(crop.apply(image, {3, epoch, index}));
      seen.insert(first);
      CHECK(first == values<int16_t>(crop.apply(image, {3, epoch, index})));
      CHECK(first != values<int16_t>(crop.apply(image, {4, epoch, index})));
    }
  }
  CHECK(seen.size() == 16);
}
