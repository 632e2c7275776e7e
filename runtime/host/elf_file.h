#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace hob::host {

// One record of a PT_NOTE segment.
struct ElfNote {
  std::string owner;  // "hob", "GNU"; without the trailing NUL
  std::uint32_t type = 0;
  std::string desc;
};

// What the host must know of a shared library before any of its code runs. It is read through the
// program headers and the dynamic table alone, as the loader does, so stripped files are no
// exception. The bytes are untrusted: every offset and length is checked before it is used.
struct ElfFile {
  std::vector<ElfNote> notes;
  std::vector<std::string> needed;  // DT_NEEDED
  std::vector<std::string> rpath;   // DT_RPATH split at ':'; empty when DT_RUNPATH stands beside it
  std::vector<std::string> runpath;  // DT_RUNPATH split at ':'; $ORIGIN is not expanded
  std::vector<std::string> imports;  // undefined dynamic symbols, mangled
  std::vector<std::string> exports;  // defined dynamic symbols that others can bind to, mangled
};

// Reads an x86-64 shared library. Throws hob::Error (kPlugin) with one clause such as
// "not an ELF file", "truncated: ...", "built for AArch64, this is x86-64" or
// "an executable, not a shared library"; the caller adds which file it was.
ElfFile read_elf(std::string_view bytes);

}  // namespace hob::host
