#include "host/elf_file.h"

#include "base/error.h"
#include "host/descriptor.h"
#include "host_fixture.h"
#include "support/raw_file.h"

#include <catch2/catch_test_macros.hpp>
#include <catch2/matchers/catch_matchers_string.hpp>

#include <elf.h>
#include <algorithm>
#include <cstring>
#include <map>
#include <random>
#include <string>
#include <vector>

namespace {

using Catch::Matchers::ContainsSubstring;
using Catch::Matchers::StartsWith;
using hob::Error;
using hob::host::ElfFile;
using hob::host::read_elf;
using hob::test::bad_plugin;
using hob::test::read_raw;

std::string good() {
  return read_raw(bad_plugin("good"));
}

// Why the bytes are refused, or "accepted".
std::string refusal(const std::string& bytes) {
  try {
    read_elf(bytes);
    return "accepted";
  } catch (const Error& error) {
    CHECK(error.fault() == hob::Fault::kPlugin);
    return error.what();
  }
}

template <typename T>
void patch(std::string& bytes, std::size_t at, T value) {
  std::memcpy(bytes.data() + at, &value, sizeof value);
}

bool contains(const std::vector<std::string>& all, const std::string& one) {
  return std::find(all.begin(), all.end(), one) != all.end();
}

// Where the last segment ends: what follows (section headers, symbols for debuggers) is not needed.
std::size_t end_of_segments(const std::string& bytes) {
  Elf64_Ehdr header;
  std::memcpy(&header, bytes.data(), sizeof header);
  std::size_t end = 0;
  for (std::size_t i = 0; i < header.e_phnum; ++i) {
    Elf64_Phdr segment;
    std::memcpy(&segment, bytes.data() + header.e_phoff + i * sizeof segment, sizeof segment);
    end = std::max<std::size_t>(end, segment.p_offset + segment.p_filesz);
  }
  return end;
}

TEST_CASE("a plugin's notes, needs and symbols are read from its program headers", "[host]") {
  const ElfFile elf = read_elf(good());
  std::map<std::uint32_t, std::vector<std::string>>
      notes;  // by type; their order is the compiler's
  for (const auto& note : elf.notes) {
    if (note.owner == "hob") notes[note.type].push_back(note.desc);
  }
  REQUIRE(notes.size() == 3);
  REQUIRE(notes[1].size() == 1);
  CHECK_THAT(notes[1][0], StartsWith("{\"format\":1,\"id\":\"org.hob.test.good\""));
  CHECK(notes[1][0].back() == '\0');
  CHECK(notes[2] == std::vector{std::string("aten::sign(Tensor self) -> Tensor\0", 34)});
  CHECK(notes[3] == std::vector(2, std::string("hob.core/1\0", 11)));
  CHECK(contains(elf.needed, "libc.so.6"));
  CHECK(elf.runpath.empty());
  CHECK(elf.exports == std::vector<std::string>{"hob_plugin_main"});
  CHECK(contains(elf.imports, "setenv"));
}

TEST_CASE("the search path of a plugin's libraries is read", "[host]") {
  const ElfFile elf = read_elf(read_raw(bad_plugin("needs_library_beside")));
  CHECK(contains(elf.needed, "libhob_test_dependency.so"));
  CHECK(elf.runpath == std::vector<std::string>{"$ORIGIN"});
}

TEST_CASE("a plugin without section headers reads the same", "[host]") {
  std::string bytes = good();
  bytes.resize(end_of_segments(bytes));
  patch<std::uint64_t>(bytes, offsetof(Elf64_Ehdr, e_shoff), 0);
  patch<std::uint16_t>(bytes, offsetof(Elf64_Ehdr, e_shnum), 0);
  const ElfFile elf = read_elf(bytes);
  CHECK(elf.exports == std::vector<std::string>{"hob_plugin_main"});
  CHECK(hob::host::read_descriptor(elf).id == "org.hob.test.good");
}

TEST_CASE("what is not a shared library for x86-64 is told apart", "[host]") {
  CHECK(refusal("") == "an empty file, not an ELF file");
  CHECK(refusal("#!/bin/sh\necho not a library\n") == "not an ELF file");
  CHECK(refusal("x") == "not an ELF file");
  CHECK_THAT(refusal("\x7f"), StartsWith("truncated: the ELF header"));

  std::string other = good();
  patch<std::uint16_t>(other, offsetof(Elf64_Ehdr, e_machine), EM_AARCH64);
  CHECK(refusal(other) == "built for AArch64, this is x86-64");
  other = good();
  other[EI_CLASS] = ELFCLASS32;
  CHECK(refusal(other) == "not a 64-bit ELF file, this is x86-64");
  other = good();
  other[EI_DATA] = ELFDATA2MSB;
  CHECK(refusal(other) == "a big-endian ELF file, this is x86-64");
  other = good();
  patch<std::uint16_t>(other, offsetof(Elf64_Ehdr, e_type), ET_EXEC);
  CHECK(refusal(other) == "an executable, not a shared library");
  other = good();
  patch<std::uint16_t>(other, offsetof(Elf64_Ehdr, e_type), ET_REL);
  CHECK(refusal(other) == "an object file (.o), not a shared library");
  other = good();
  patch<std::uint16_t>(other, offsetof(Elf64_Ehdr, e_phnum), 0);
  CHECK(refusal(other) == "not a shared library: it has no program headers");
  other = good();
  patch<std::uint16_t>(other, offsetof(Elf64_Ehdr, e_phnum), 60000);
  CHECK(refusal(other) == "damaged: 60000 program headers");
}

// GCC aligns a large constant to 32 bytes unless told otherwise.
TEST_CASE("zeros between two notes are padding", "[host]") {
  std::string bytes = good();
  // The first of two equal notes of 4 words and 12 bytes becomes nothing.
  const std::size_t at = bytes.find("hob.core/1") - 16;
  REQUIRE(bytes.substr(at + 12, 4) == std::string("hob\0", 4));
  std::fill_n(bytes.begin() + static_cast<std::ptrdiff_t>(at), 28, '\0');
  CHECK(hob::host::read_descriptor(read_elf(bytes)).host_interfaces ==
        std::vector<std::string>{"hob.core/1"});
}

TEST_CASE("a program is not taken for a plugin", "[host]") {
  CHECK(refusal(read_raw("/proc/self/exe")) == "an executable, not a shared library");
}

TEST_CASE("a plugin cut short is refused wherever it ends", "[host]") {
  const std::string whole = good();
  const std::size_t needed = end_of_segments(whole);
  for (std::size_t size = 64; size < whole.size(); size += 64) {
    const std::string why = refusal(whole.substr(0, size));
    INFO("cut to " << size << " of " << whole.size() << " bytes: " << why);
    if (size < needed) {
      CHECK_THAT(why, StartsWith("truncated: "));
    } else {
      CHECK(why == "accepted");
    }
  }
}

// Found by the sanitizers, if at all: the test itself asks only that nothing but Error is thrown.
TEST_CASE("three thousand damaged plugins are read or refused, and never crash", "[host]") {
  std::mt19937 random(20240601);
  const std::string whole = good();
  const std::size_t headers = sizeof(Elf64_Ehdr) + 12 * sizeof(Elf64_Phdr);
  Elf64_Phdr dynamic{};
  for (std::size_t at = sizeof(Elf64_Ehdr); at < headers; at += sizeof dynamic) {
    std::memcpy(&dynamic, whole.data() + at, sizeof dynamic);
    if (dynamic.p_type == PT_DYNAMIC) break;
  }
  REQUIRE(dynamic.p_type == PT_DYNAMIC);

  int accepted = 0;
  for (int round = 0; round < 3000; ++round) {
    std::string bytes = whole;
    const auto pick = [&](std::size_t begin, std::size_t size) { return begin + random() % size; };
    const int changes = 1 + static_cast<int>(random() % 8);
    for (int i = 0; i < changes; ++i) {
      // A third each in the headers, the dynamic table, and anywhere.
      const std::size_t at = round % 3 == 0   ? pick(0, headers)
                             : round % 3 == 1 ? pick(dynamic.p_offset, dynamic.p_filesz)
                                              : pick(0, bytes.size());
      bytes[at] = static_cast<char>(random() % 4 == 0 ? 0xff : random());
    }
    try {
      hob::host::read_descriptor(read_elf(bytes));
      ++accepted;
    } catch (const Error&) {
    }
  }
  // Much of the file is code and padding, which nothing here reads.
  CHECK(accepted > 100);
  CHECK(accepted < 2900);
}

}  // namespace
