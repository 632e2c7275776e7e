#include <cstring>
#include <string>
#include <vector>

#include <catch2/catch_test_macros.hpp>
#include <catch2/generators/catch_generators.hpp>
#include <catch2/generators/catch_generators_range.hpp>
#include <catch2/matchers/catch_matchers_exception.hpp>
#include <catch2/matchers/catch_matchers_string.hpp>

#include "base/error.h"
#include "data/safetensors.h"
#include "support/raw_file.h"
#include "support/temp_folder.h"

namespace {

using Catch::Matchers::ContainsSubstring;
using Catch::Matchers::MessageMatches;
using hob::Error;
using hob::data::Aliases;
using hob::data::Metadata;
using hob::data::SafetensorsReader;
using hob::data::StoredTensor;
using hob::data::StoredType;
using hob::test::raw_bytes;
using hob::test::raw_safetensors;
using hob::test::TempFolder;
using hob::test::write_raw;

// Opens a file of these bytes, and throws what the reader throws.
SafetensorsReader open_bytes(const TempFolder& folder, const std::string& bytes) {
  write_raw(folder / "x.safetensors", bytes);
  return SafetensorsReader::open(folder / "x.safetensors");
}

// The message with which the reader refuses a file of that header and data.
std::string refusal(const std::string& header, const std::string& data) {
  TempFolder folder;
  try {
    open_bytes(folder, raw_safetensors(header, data));
  } catch (const Error& error) {
    CHECK(error.fault() == hob::Fault::kUsage);
    CHECK_THAT(error.what(), ContainsSubstring("x.safetensors: "));
    return error.what();
  }
  return "accepted";
}

template <typename T>
std::vector<T> values_of(const SafetensorsReader& reader, const std::string& name) {
  const StoredTensor* tensor = reader.find(name);
  REQUIRE(tensor != nullptr);
  std::vector<std::byte> bytes = reader.read(*tensor);
  std::vector<T> values(bytes.size() / sizeof(T));
  std::memcpy(values.data(), bytes.data(), bytes.size());
  return values;
}

const std::string kFourBytes(4, '\1');

}  // namespace

TEST_CASE("a safetensors file gives its tensors, by name", "[safetensors]") {
  TempFolder folder;
  auto reader = open_bytes(
      folder,
      raw_safetensors(R"({"w":{"dtype":"F32","shape":[1,2],"data_offsets":[2,10]},)"
                      R"("b":{"dtype":"BF16","shape":[],"data_offsets":[0,2]}})",
                      raw_bytes<std::uint16_t>(0x3f80) + raw_bytes(1.5F) + raw_bytes(-2.0F)));
  REQUIRE(reader.tensors().size() == 2);
  CHECK(reader.tensors()[0].name == "b");
  CHECK(reader.tensors()[0].type == StoredType::kBF16);
  CHECK(reader.tensors()[0].shape.empty());
  CHECK(reader.tensors()[1].shape == std::vector<std::int64_t>{1, 2});
  CHECK(reader.tensors()[1].bytes == 8);
  CHECK(values_of<float>(reader, "w") == std::vector<float>{1.5F, -2.0F});
  CHECK(values_of<std::uint16_t>(reader, "b") == std::vector<std::uint16_t>{0x3f80});
  CHECK(reader.find("v") == nullptr);

  std::vector<std::byte> second(4);
  reader.read(*reader.find("w"), second, 4);
  float value = 0;
  std::memcpy(&value, second.data(), 4);
  CHECK(value == -2.0F);
  CHECK_THROWS_AS(reader.read(*reader.find("w"), second, 5), std::logic_error);
}

TEST_CASE("a header whose shape does not match its bytes is refused", "[safetensors]") {
  // case SAF-01
  CHECK_THAT(
      refusal(R"({"w":{"dtype":"F32","shape":[1000,1000],"data_offsets":[0,4]}})", kFourBytes),
      ContainsSubstring("tensor 'w'") && ContainsSubstring("cover 4 bytes") &&
          ContainsSubstring("[1000,1000] of F32 takes 4000000"));
  CHECK_THAT(
      refusal(R"({"w":{"dtype":"F32","shape":[8589934592,8589934592],"data_offsets":[0,4]}})",
              kFourBytes),
      ContainsSubstring("tensor 'w'") && ContainsSubstring("more than 2^63 - 1 bytes"));
  std::string number = GENERATE("-1", "1.0", "1.5", "1e0", "18446744073709551615",
                                "99999999999999999999", "\"1\"", "null", "[1]", "true", "-0");
  CAPTURE(number);
  CHECK(refusal(R"({"w":{"dtype":"F32","shape":[)" + number + R"(],"data_offsets":[0,4]}})",
                kFourBytes) != "accepted");
  CHECK(refusal(R"({"w":{"dtype":"F32","shape":[1],"data_offsets":[)" + number + R"(,4]}})",
                kFourBytes) != "accepted");
}

TEST_CASE("offsets that no tensor can have are refused, naming the tensor", "[safetensors]") {
  // case SAF-02
  auto with_offsets = [](const std::string& offsets) {
    return refusal(R"({"w":{"dtype":"U8","shape":[4],"data_offsets":)" + offsets + "}}",
                   std::string(100, 'x'));
  };
  CHECK_THAT(with_offsets("[8,4]"),
             ContainsSubstring("tensor 'w'") && ContainsSubstring("begin at 8, after their end"));
  CHECK_THAT(with_offsets("[0,400]"), ContainsSubstring("tensor 'w'"));
  CHECK_THAT(with_offsets("[0]"), ContainsSubstring("has 1 entries; [begin, end] was expected"));
  CHECK_THAT(with_offsets("[0,4,8]"), ContainsSubstring("has 3 entries"));
  CHECK_THAT(with_offsets("4"), ContainsSubstring("'data_offsets' is not a list"));
  CHECK_THAT(with_offsets("[4,8]"), ContainsSubstring("tensor 'w': its bytes begin at 4"));
}

TEST_CASE("tensors must cover the data without gap or overlap", "[safetensors]") {
  auto two = [](const std::string& second) {
    return refusal(R"({"a":{"dtype":"U8","shape":[4],"data_offsets":[0,4]},)"
                   R"("b":{"dtype":"U8","shape":[4],"data_offsets":)" +
                       second + "}}",
                   std::string(8, 'x'));
  };
  CHECK(two("[4,8]") == "accepted");
  CHECK_THAT(two("[2,6]"),
             ContainsSubstring("tensor 'b'") && ContainsSubstring("inside the tensor before it"));
  CHECK_THAT(two("[0,4]"), ContainsSubstring("inside the tensor before it"));
  CHECK_THAT(two("[5,9]"), ContainsSubstring("the tensor before it ends at 4"));
}

TEST_CASE("trailing bytes are refused", "[safetensors]") {
  // case SAF-04
  std::string header = R"({"w":{"dtype":"F32","shape":[1],"data_offsets":[0,4]}})";
  CHECK(refusal(header, kFourBytes) == "accepted");
  CHECK_THAT(refusal(header, kFourBytes + std::string(16, '\0')),
             ContainsSubstring("16 bytes follow the last tensor"));
}

TEST_CASE("a file cut short is refused with the count of missing bytes", "[safetensors]") {
  // case SAF-06
  TempFolder folder;
  std::string whole = raw_safetensors(
      R"({"w":{"dtype":"F32","shape":[2000],"data_offsets":[0,8000]}})", std::string(8000, 'x'));
  auto cut_to = [&](std::size_t bytes) {
    try {
      open_bytes(folder, whole.substr(0, bytes));
    } catch (const Error& error) {
      return std::string(error.what());
    }
    return std::string("accepted");
  };
  CHECK(cut_to(whole.size()) == "accepted");
  CHECK_THAT(cut_to(whole.size() - 4096), ContainsSubstring("4096 bytes are missing of the 8000"));
  CHECK_THAT(cut_to(whole.size() - 1), ContainsSubstring(": 1 bytes are missing"));
  CHECK_THAT(cut_to(20), ContainsSubstring("bytes are missing of the header's"));
  CHECK_THAT(cut_to(7), ContainsSubstring("has 7 bytes"));
  CHECK_THAT(cut_to(0), ContainsSubstring("has 0 bytes"));
}

TEST_CASE("metadata is a map of strings, empty or null", "[safetensors]") {
  // case SAF-08
  TempFolder folder;
  auto metadata_of = [&](const std::string& json) {
    return open_bytes(folder, raw_safetensors("{\"__metadata__\":" + json + "}", "")).metadata();
  };
  CHECK(metadata_of("{}").empty());
  CHECK(metadata_of("null").empty());
  CHECK(metadata_of(R"({"a":"1"})") == Metadata{{"a", "1"}});
  CHECK_THROWS_MATCHES(metadata_of(R"({"a":1})"), Error,
                       MessageMatches(ContainsSubstring(
                           "the value of 'a' is a JSON number; a string was expected")));
  CHECK_THROWS_MATCHES(metadata_of(R"({"a":{"b":"c"}})"), Error,
                       MessageMatches(ContainsSubstring("is a JSON object; a string")));
  CHECK_THROWS_MATCHES(metadata_of(R"({"a":null})"), Error,
                       MessageMatches(ContainsSubstring("is a JSON null; a string")));
  CHECK_THROWS_MATCHES(metadata_of("[]"), Error,
                       MessageMatches(ContainsSubstring("an object was expected")));
}

TEST_CASE("a file without tensors is valid", "[safetensors]") {
  // case SAF-09
  TempFolder folder;
  auto reader = open_bytes(folder, raw_safetensors(R"({"__metadata__":{"a":"1"}})", ""));
  CHECK(reader.tensors().empty());
  CHECK(reader.metadata() == Metadata{{"a", "1"}});
  CHECK(open_bytes(folder, raw_safetensors("{}", "")).tensors().empty());
}

TEST_CASE("data that begins at any address is read right", "[safetensors]") {
  // case SAF-11
  TempFolder folder;
  int spaces = GENERATE(range(0, 8));
  std::string header = R"({"a":{"dtype":"BF16","shape":[1],"data_offsets":[0,2]},)"
                       R"("w":{"dtype":"F32","shape":[2],"data_offsets":[2,10]}})" +
                       std::string(static_cast<std::size_t>(spaces), ' ');
  auto reader = open_bytes(folder, raw_safetensors(header, raw_bytes<std::uint16_t>(0xc000) +
                                                               raw_bytes(0.25F) + raw_bytes(8.0F)));
  CHECK(values_of<std::uint16_t>(reader, "a") == std::vector<std::uint16_t>{0xc000});
  CHECK(values_of<float>(reader, "w") == std::vector<float>{0.25F, 8.0F});
}

TEST_CASE("zero-size tensors may lie anywhere in the data", "[safetensors]") {
  // case SAF-16
  TempFolder folder;
  auto reader = open_bytes(
      folder, raw_safetensors(R"({"z":{"dtype":"F32","shape":[0,3],"data_offsets":[4,4]},)"
                              R"("a":{"dtype":"F32","shape":[],"data_offsets":[0,4]},)"
                              R"("b":{"dtype":"F32","shape":[1],"data_offsets":[4,8]}})",
                              raw_bytes(1.0F) + raw_bytes(2.0F)));
  CHECK(reader.find("z")->bytes == 0);
  CHECK(reader.find("z")->shape == std::vector<std::int64_t>{0, 3});
  CHECK(reader.read(*reader.find("z")).empty());
  CHECK(values_of<float>(reader, "a") == std::vector<float>{1.0F});
  CHECK(values_of<float>(reader, "b") == std::vector<float>{2.0F});
}

TEST_CASE("a header that is not sound JSON is refused with its place", "[safetensors]") {
  std::string entry = R"({"dtype":"F32","shape":[1],"data_offsets":[0,4]})";
  CHECK_THAT(refusal("{\"w\":" + entry + ",\"w\":" + entry + "}", kFourBytes),
             ContainsSubstring("the key 'w' twice"));
  CHECK_THAT(refusal("{\"w\":" + entry, kFourBytes), ContainsSubstring("not valid JSON"));
  CHECK_THAT(refusal("{\"w\":" + entry + "} x", kFourBytes), ContainsSubstring("not valid JSON"));
  CHECK_THAT(refusal("{\"\xff\":" + entry + "}", kFourBytes), ContainsSubstring("UTF-8"));
  CHECK_THAT(refusal(" {\"w\":" + entry + "}", kFourBytes), ContainsSubstring("begin with '{'"));
  CHECK_THAT(refusal("[]", ""), ContainsSubstring("begin with '{'"));
  CHECK_THAT(refusal("{\"w\":" + std::string(100'000, '['), ""),
             ContainsSubstring("nested deeper"));
  CHECK_THAT(refusal("{\"w\":5}", ""), ContainsSubstring("its header entry is not an object"));
  CHECK_THAT(refusal(R"({"w":{"shape":[1],"data_offsets":[0,4]}})", kFourBytes),
             ContainsSubstring("has no 'dtype'"));
  CHECK_THAT(refusal(R"({"w":{"dtype":"F32","data_offsets":[0,4]}})", kFourBytes),
             ContainsSubstring("has no 'shape'"));
  CHECK_THAT(refusal(R"({"w":{"dtype":"F33","shape":[1],"data_offsets":[0,4]}})", kFourBytes),
             ContainsSubstring("'F33'; known are BOOL, U8"));
  CHECK_THAT(refusal(R"({"w":{"dtype":4,"shape":[1],"data_offsets":[0,4]}})", kFourBytes),
             ContainsSubstring("'dtype' is not a string"));
}

TEST_CASE("a file that is no safetensors file at all says so", "[safetensors]") {
  TempFolder folder;
  CHECK_THROWS_MATCHES(open_bytes(folder, std::string(4096, '\0')), Error,
                       MessageMatches(ContainsSubstring("full of zeros")));
  CHECK_THROWS_MATCHES(open_bytes(folder, "PK\3\4 this is a zip archive"), Error,
                       MessageMatches(ContainsSubstring("not a safetensors file")));
  CHECK_THROWS_MATCHES(SafetensorsReader::open(folder / "none.safetensors"), Error,
                       MessageMatches(ContainsSubstring("none.safetensors': No such")));
  CHECK_THROWS_MATCHES(SafetensorsReader::open("/dev/null"), Error,
                       MessageMatches(ContainsSubstring("not a regular file")));
}

TEST_CASE("an alias leads to the tensor it shares", "[safetensors]") {
  // case SAF-13
  TempFolder folder;
  auto with_note = [&](const std::string& note) {
    return open_bytes(
        folder, raw_safetensors("{\"__metadata__\":{\"hob.aliases\":" + note + "}," +
                                    R"("embed":{"dtype":"F32","shape":[1],"data_offsets":[0,4]}})",
                                kFourBytes));
  };
  auto reader = with_note(R"("{\"head\":\"embed\"}")");
  CHECK(reader.tensors().size() == 1);
  CHECK(reader.aliases() == Aliases{{"head", "embed"}});
  CHECK(reader.find("head") == reader.find("embed"));
  CHECK(reader.find("head") != nullptr);
  CHECK(reader.metadata().empty());

  CHECK_THROWS_MATCHES(with_note(R"("{\"head\":\"gone\"}")"), Error,
                       MessageMatches(ContainsSubstring("'head' leads to 'gone'")));
  CHECK_THROWS_MATCHES(with_note(R"("{\"embed\":\"embed\"}")"), Error,
                       MessageMatches(ContainsSubstring("is itself stored")));
  CHECK_THROWS_MATCHES(with_note(R"("{\"head\":1}")"), Error,
                       MessageMatches(ContainsSubstring("is not a string")));
  CHECK_THROWS_MATCHES(with_note(R"("[]")"), Error,
                       MessageMatches(ContainsSubstring("not a JSON object")));
  CHECK_THROWS_MATCHES(with_note(R"("{")"), Error,
                       MessageMatches(ContainsSubstring("not valid JSON")));
}
