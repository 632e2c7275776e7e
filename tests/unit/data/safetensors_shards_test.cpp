#include <filesystem>
#include <string>

#include <catch2/catch_test_macros.hpp>
#include <catch2/generators/catch_generators.hpp>
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
using hob::data::SafetensorsReader;
using hob::test::raw_safetensors;
using hob::test::TempFolder;
using hob::test::write_raw;

// One tensor of one byte.
std::string shard_of(const std::string& name, char byte) {
  return raw_safetensors("{\"" + name + R"(":{"dtype":"U8","shape":[1],"data_offsets":[0,1]}})",
                         std::string(1, byte));
}

// A folder of two shards and their index.
struct Sharded {
  TempFolder folder;

  Sharded() {
    write_raw(folder / "model-1.safetensors", shard_of("a", 1));
    write_raw(folder / "model-2.safetensors", shard_of("b", 2));
    index(R"({"a":"model-1.safetensors","b":"model-2.safetensors"})");
  }

  void index(const std::string& weight_map) {
    write_raw(folder / "model.safetensors.index.json",
              R"({"metadata":{"total_size":99},"weight_map":)" + weight_map + "}");
  }

  std::string refusal() {
    try {
      SafetensorsReader::open(folder.path());
    } catch (const Error& error) {
      CHECK(error.fault() == hob::Fault::kUsage);
      return error.what();
    }
    return "accepted";
  }
};

}  // namespace

// case SAF-15

TEST_CASE("an index gives the tensors of all shards, and strays beside it are ignored",
          "[safetensors]") {
  Sharded sharded;
  write_raw(sharded.folder / "stray.safetensors", shard_of("a", 9));
  write_raw(sharded.folder / "model.safetensors", "broken");
  auto path = GENERATE(std::string(""), "model.safetensors.index.json");
  auto reader = SafetensorsReader::open(sharded.folder / path);
  REQUIRE(reader.tensors().size() == 2);
  CHECK(reader.files().size() == 2);
  CHECK(reader.read(*reader.find("a")) == std::vector<std::byte>{std::byte{1}});
  CHECK(reader.read(*reader.find("b")) == std::vector<std::byte>{std::byte{2}});
}

TEST_CASE("a missing shard is refused by name", "[safetensors]") {
  Sharded sharded;
  std::filesystem::remove(sharded.folder / "model-2.safetensors");
  CHECK_THAT(sharded.refusal(),
             ContainsSubstring("1 of 2 shards are missing: 'model-2.safetensors'"));
}

TEST_CASE("a tensor that is not in its named shard is refused", "[safetensors]") {
  Sharded sharded;
  sharded.index(R"({"a":"model-2.safetensors","b":"model-1.safetensors"})");
  CHECK_THAT(sharded.refusal(), ContainsSubstring("2 tensors are not in the shard") &&
                                    ContainsSubstring("'model-2.safetensors: a'"));
  sharded.index(
      R"({"a":"model-1.safetensors","b":"model-2.safetensors","c":"model-2.safetensors"})");
  CHECK_THAT(sharded.refusal(), ContainsSubstring("'model-2.safetensors: c'"));
}

TEST_CASE("a tensor of a shard that the index does not name is refused", "[safetensors]") {
  Sharded sharded;
  write_raw(sharded.folder / "model-2.safetensors",
            raw_safetensors(R"({"b":{"dtype":"U8","shape":[1],"data_offsets":[0,1]},)"
                            R"("extra":{"dtype":"U8","shape":[1],"data_offsets":[1,2]}})",
                            "xy"));
  CHECK_THAT(sharded.refusal(), ContainsSubstring("not in weight_map: 'extra'"));
  write_raw(sharded.folder / "model-2.safetensors", shard_of("a", 2));
  CHECK_THAT(sharded.refusal(), ContainsSubstring("'a' is in model-1.safetensors and in model-2"));
}

TEST_CASE("a shard's path may not leave the index's folder", "[safetensors]") {
  Sharded sharded;
  std::string name = GENERATE("../model-1.safetensors", "/etc/passwd", "sub/model-1.safetensors",
                              "..", ".", "", "model-1.safetensors\\u0000");
  CAPTURE(name);
  sharded.index("{\"a\":\"" + name + "\"}");
  CHECK_THAT(sharded.refusal(), ContainsSubstring("the name of a file beside the index"));
}

TEST_CASE("an index of another form is refused", "[safetensors]") {
  Sharded sharded;
  std::string text = GENERATE("{}", "[]", R"({"weight_map":[]})", R"({"weight_map":{"a":1}})",
                              R"({"weight_map":{"a":"x","a":"y"}})", "{", "");
  CAPTURE(text);
  write_raw(sharded.folder / "model.safetensors.index.json", text);
  CHECK_THAT(sharded.refusal(), ContainsSubstring("model.safetensors.index.json: "));
}

TEST_CASE("a damaged shard is refused by its own name", "[safetensors]") {
  Sharded sharded;
  write_raw(sharded.folder / "model-2.safetensors", shard_of("b", 2) + "x");
  CHECK_THAT(sharded.refusal(), ContainsSubstring("model-2.safetensors: 1 bytes follow"));
}

TEST_CASE("a folder without weights says what it should hold", "[safetensors]") {
  TempFolder folder;
  CHECK_THROWS_MATCHES(
      SafetensorsReader::open(folder.path()), Error,
      MessageMatches(ContainsSubstring("holds neither model.safetensors.index.json "
                                       "nor model.safetensors")));
}
