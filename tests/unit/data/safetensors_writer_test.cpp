#include <cstring>
#include <filesystem>
#include <random>
#include <span>
#include <stdexcept>
#include <string>
#include <vector>

#include <catch2/catch_test_macros.hpp>
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
using hob::data::ByteSink;
using hob::data::Metadata;
using hob::data::SafetensorsReader;
using hob::data::StoredTensor;
using hob::data::StoredType;
using hob::data::TensorSource;
using hob::data::write_safetensors;
using hob::test::read_raw;
using hob::test::TempFolder;
using hob::test::write_raw;

TensorSource tensor_of(std::string name, StoredType type, std::vector<std::int64_t> shape,
                       std::string bytes) {
  return {std::move(name), type, std::move(shape),
          [bytes](const ByteSink& sink) { sink(std::as_bytes(std::span(bytes))); }};
}

std::string bytes_of(const SafetensorsReader& reader, const std::string& name) {
  REQUIRE(reader.find(name) != nullptr);
  auto bytes = reader.read(*reader.find(name));
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

std::vector<TensorSource> some_tensors() {
  return {tensor_of("b.flag", StoredType::kBool, {3}, std::string("\1\0\1", 3)),
          tensor_of("scalar", StoredType::kF64, {}, "12345678"),
          tensor_of("empty", StoredType::kF32, {0, 3}, ""),
          tensor_of("a.half", StoredType::kBF16, {1, 3}, "abcdef"),
          tensor_of("w", StoredType::kF32, {2, 1}, "ABCDEFGH")};
}

}  // namespace

TEST_CASE("what is written comes back, aligned", "[safetensors]") {
  // cases SAF-11, SAF-16
  TempFolder folder;
  write_safetensors(folder / "x.safetensors", some_tensors(), {{"format", "pt"}});
  auto reader = SafetensorsReader::open(folder / "x.safetensors");
  CHECK(reader.metadata() == Metadata{{"format", "pt"}});
  REQUIRE(reader.tensors().size() == 5);
  CHECK(bytes_of(reader, "b.flag") == std::string("\1\0\1", 3));
  CHECK(bytes_of(reader, "scalar") == "12345678");
  CHECK(bytes_of(reader, "a.half") == "abcdef");
  CHECK(bytes_of(reader, "w") == "ABCDEFGH");
  CHECK(reader.find("scalar")->shape.empty());
  CHECK(reader.find("empty")->shape == std::vector<std::int64_t>{0, 3});
  for (const StoredTensor& tensor : reader.tensors()) {
    CHECK(tensor.offset % stored_type_size(tensor.type) == 0);
  }
  CHECK_FALSE(std::filesystem::exists(folder / "x.safetensors.tmp"));
}

TEST_CASE("equal tensors give equal files, in whatever order they come", "[safetensors]") {
  TempFolder folder;
  auto tensors = some_tensors();
  write_safetensors(folder / "x", tensors, {{"a", "1"}, {"b", "2"}});
  std::swap(tensors[0], tensors[4]);
  std::swap(tensors[1], tensors[2]);
  write_safetensors(folder / "y", tensors, {{"b", "2"}, {"a", "1"}});
  CHECK(read_raw(folder / "x") == read_raw(folder / "y"));
}

TEST_CASE("every element type comes back", "[safetensors]") {
  TempFolder folder;
  std::vector<TensorSource> tensors;
  for (auto type : {StoredType::kBool, StoredType::kU8, StoredType::kI8, StoredType::kF8E4M3,
                    StoredType::kF8E5M2, StoredType::kI16, StoredType::kU16, StoredType::kF16,
                    StoredType::kBF16, StoredType::kI32, StoredType::kU32, StoredType::kF32,
                    StoredType::kI64, StoredType::kU64, StoredType::kF64}) {
    tensors.push_back(tensor_of(std::string(stored_type_name(type)), type, {2},
                                std::string(2 * stored_type_size(type), 'x')));
  }
  write_safetensors(folder / "x.safetensors", tensors);
  auto reader = SafetensorsReader::open(folder / "x.safetensors");
  REQUIRE(reader.tensors().size() == 15);
  for (const StoredTensor& tensor : reader.tensors()) {
    CHECK(tensor.name == stored_type_name(tensor.type));
  }
}

TEST_CASE("no tensors, with and without metadata, make a valid file", "[safetensors]") {
  // case SAF-09
  TempFolder folder;
  write_safetensors(folder / "x.safetensors", {}, {{"a", "1"}});
  auto reader = SafetensorsReader::open(folder / "x.safetensors");
  CHECK(reader.tensors().empty());
  CHECK(reader.metadata() == Metadata{{"a", "1"}});
  write_safetensors(folder / "y.safetensors", {});
  CHECK(SafetensorsReader::open(folder / "y.safetensors").tensors().empty());
}

TEST_CASE("a shared tensor is stored once and found under both names", "[safetensors]") {
  // case SAF-13
  TempFolder folder;
  std::string data(1 << 16, 'e');
  write_safetensors(folder / "x.safetensors",
                    {tensor_of("embed.weight", StoredType::kU8, {1 << 16}, data)}, {},
                    {{"head.weight", "embed.weight"}});
  CHECK(std::filesystem::file_size(folder / "x.safetensors") < data.size() + 512);
  auto reader = SafetensorsReader::open(folder / "x.safetensors");
  CHECK(reader.aliases() == Aliases{{"head.weight", "embed.weight"}});
  CHECK(reader.find("head.weight") == reader.find("embed.weight"));
}

TEST_CASE("a tensor may be handed over in pieces, but neither more nor less", "[safetensors]") {
  TempFolder folder;
  auto source = [](std::vector<std::string> pieces) {
    return TensorSource{"w", StoredType::kU8, {6}, [pieces](const ByteSink& sink) {
                          for (const auto& piece : pieces) sink(std::as_bytes(std::span(piece)));
                        }};
  };
  write_safetensors(folder / "x.safetensors", {source({"ab", "", "cdef"})});
  CHECK(bytes_of(SafetensorsReader::open(folder / "x.safetensors"), "w") == "abcdef");
  CHECK_THROWS_MATCHES(write_safetensors(folder / "y", {source({"abc", "defg"})}), Error,
                       MessageMatches(ContainsSubstring("more bytes were given for 'w'")));
  CHECK_THROWS_MATCHES(write_safetensors(folder / "y", {source({"abcd"})}), Error,
                       MessageMatches(ContainsSubstring("2 bytes were not given of 'w'")));
  CHECK_FALSE(std::filesystem::exists(folder / "y"));
}

TEST_CASE("names that a file cannot hold are refused", "[safetensors]") {
  TempFolder folder;
  auto w = tensor_of("w", StoredType::kU8, {1}, "x");
  auto refused = [&](std::vector<TensorSource> tensors, const Metadata& metadata,
                     const Aliases& aliases, const std::string& why) {
    CHECK_THROWS_MATCHES(write_safetensors(folder / "x", std::move(tensors), metadata, aliases),
                         Error, MessageMatches(ContainsSubstring(why)));
  };
  refused({w, w}, {}, {}, "two tensors are named 'w'");
  refused({tensor_of("__metadata__", StoredType::kU8, {1}, "x")}, {}, {}, "__metadata__");
  refused({tensor_of("\xff", StoredType::kU8, {1}, "x")}, {}, {}, "not UTF-8");
  refused({tensor_of("w", StoredType::kU8, {-1}, "x")}, {}, {}, "its shape holds -1");
  refused({w}, {{"hob.aliases", ""}}, {}, "the writer's own");
  refused({w}, {}, {{"w", "w"}}, "also the name of a tensor");
  refused({w}, {}, {{"v", "u"}}, "not among the tensors");
  CHECK(std::filesystem::is_empty(folder.path()));
}

TEST_CASE("a failed write leaves the former file as it was", "[safetensors]") {
  TempFolder folder;
  write_raw(folder / "x.safetensors", "former");
  TensorSource broken{
      "w", StoredType::kU8, {1}, [](const ByteSink&) { throw std::runtime_error("copy failed"); }};
  CHECK_THROWS_MATCHES(write_safetensors(folder / "x.safetensors", {broken}), std::runtime_error,
                       MessageMatches(ContainsSubstring("copy failed")));
  CHECK(read_raw(folder / "x.safetensors") == "former");
  CHECK_FALSE(std::filesystem::exists(folder / "x.safetensors.tmp"));
  CHECK_THROWS_MATCHES(write_safetensors(folder / "no" / "x", {}), Error,
                       MessageMatches(ContainsSubstring("No such file or directory")));
}

TEST_CASE("a randomly damaged file is refused or read, never worse", "[safetensors]") {
  TempFolder folder;
  write_safetensors(folder / "seed", some_tensors(), {{"k", "v"}}, {{"tied", "w"}});
  const std::string seed = read_raw(folder / "seed");
  std::mt19937_64 random(20240607);
  auto below = [&](std::size_t bound) { return static_cast<std::size_t>(random() % bound); };
  const std::string alphabet = "{}[]\",:0123456789-.eE\\u\0 \xff";
  int refused = 0;
  for (int round = 0; round < 5000; ++round) {
    std::string bytes = seed;
    for (std::size_t edits = 1 + below(4); edits > 0 && !bytes.empty(); --edits) {
      std::size_t at = below(bytes.size());
      switch (below(6)) {
        case 0:
          bytes[at] = static_cast<char>(random());
          break;
        case 1:
          bytes[at] = alphabet[below(alphabet.size())];
          break;
        case 2:
          bytes.resize(at);
          break;
        case 3:
          bytes.insert(at, 1 + below(3), alphabet[below(alphabet.size())]);
          break;
        case 4:
          bytes.erase(at, 1 + below(8));
          break;
        default:
          bytes.insert(at, bytes.substr(below(bytes.size()), below(64)));
          break;
      }
    }
    // Half of the time the length fits again, so that the damage reaches the deeper checks.
    if (bytes.size() > 8 && below(2) == 0) {
      std::size_t brace = bytes.rfind('}');
      std::uint64_t length = brace == std::string::npos || brace < 8 ? 0 : brace - 7;
      std::memcpy(bytes.data(), &length, sizeof length);
    }
    write_raw(folder / "x.safetensors", bytes);
    try {
      auto reader = SafetensorsReader::open(folder / "x.safetensors");
      for (const StoredTensor& tensor : reader.tensors()) reader.read(tensor);
      for (const auto& [alias, target] : reader.aliases()) CHECK(reader.find(alias) != nullptr);
    } catch (const Error&) {
      ++refused;
    }
  }
  CHECK(refused > 2500);
  CHECK(refused < 5000);
}
