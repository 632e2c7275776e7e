#include "host/elf_file.h"

#include "base/error.h"
#include "base/text.h"

#include <elf.h>
#include <algorithm>
#include <cstring>
#include <optional>
#include <string_view>

namespace hob::host {
namespace {

// Linkers write about ten. Segments may overlap, so their number bounds the work on a hostile file.
constexpr std::uint16_t kMaxSegments = 128;

[[noreturn]] void fail(const std::string& what) {
  throw Error(Fault::kPlugin, what);
}

// The part of the file at `offset`, or a complaint that names `what` was to be read there.
std::string_view slice(std::string_view bytes, std::uint64_t offset, std::uint64_t size,
                       const std::string& what) {
  if (offset > bytes.size() || size > bytes.size() - offset) {
    fail("truncated: " + what + " would be " + std::to_string(size) + " bytes at offset " +
         std::to_string(offset) + ", the file has " + std::to_string(bytes.size()));
  }
  return bytes.substr(offset, size);
}

// Copied out, since nothing in an untrusted file need be aligned.
template <typename T>
T read_at(std::string_view bytes, std::uint64_t offset, const std::string& what) {
  T value;
  std::memcpy(&value, slice(bytes, offset, sizeof(T), what).data(), sizeof(T));
  return value;
}

std::string machine_name(std::uint16_t machine) {
  switch (machine) {
    case EM_386:
      return "32-bit x86";
    case EM_ARM:
      return "32-bit ARM";
    case EM_AARCH64:
      return "AArch64";
    case EM_PPC64:
      return "POWER";
    case EM_RISCV:
      return "RISC-V";
    default:
      return "machine " + std::to_string(machine);
  }
}

std::string type_name(std::uint16_t type) {
  switch (type) {
    case ET_REL:
      return "an object file (.o), not a shared library";
    case ET_EXEC:
      return "an executable, not a shared library";
    case ET_CORE:
      return "a core dump, not a shared library";
    default:
      return "ELF type " + std::to_string(type) + ", not a shared library";
  }
}

Elf64_Ehdr read_header(std::string_view bytes) {
  if (bytes.empty()) fail("an empty file, not an ELF file");
  if (std::memcmp(bytes.data(), ELFMAG, std::min<std::size_t>(bytes.size(), SELFMAG)) != 0) {
    fail("not an ELF file");
  }
  const auto header = read_at<Elf64_Ehdr>(bytes, 0, "the ELF header");
  if (header.e_ident[EI_CLASS] != ELFCLASS64) fail("not a 64-bit ELF file, this is x86-64");
  if (header.e_ident[EI_DATA] != ELFDATA2LSB) fail("a big-endian ELF file, this is x86-64");
  if (header.e_machine != EM_X86_64) {
    fail("built for " + machine_name(header.e_machine) + ", this is x86-64");
  }
  if (header.e_type != ET_DYN) fail(type_name(header.e_type));
  if (header.e_phnum == 0) fail("not a shared library: it has no program headers");
  if (header.e_phnum > kMaxSegments) {
    fail("damaged: " + std::to_string(header.e_phnum) + " program headers");
  }
  if (header.e_phentsize != sizeof(Elf64_Phdr)) {
    fail("damaged: program headers of " + std::to_string(header.e_phentsize) +
         " bytes each, expected " + std::to_string(sizeof(Elf64_Phdr)));
  }
  return header;
}

std::uint64_t round_up(std::uint64_t value, std::uint64_t align) {
  return (value + align - 1) / align * align;
}

void read_notes(std::string_view segment, std::uint64_t align, std::vector<ElfNote>& notes) {
  std::uint64_t at = 0;
  while (at < segment.size()) {
    // Compilers align large objects beyond what notes need: zeros between two notes are padding.
    if (read_at<std::uint32_t>(segment, at, "a note") == 0) {
      at += sizeof(std::uint32_t);
      continue;
    }
    const auto header = read_at<Elf64_Nhdr>(segment, at, "a note's header");
    at += sizeof(header);
    // Both lengths are 32-bit, so the sums below cannot wrap.
    const auto owner = slice(segment, at, header.n_namesz, "a note's name");
    at = round_up(at + header.n_namesz, align);
    const auto desc = slice(segment, at, header.n_descsz, "a note's contents");
    at = round_up(at + header.n_descsz, align);

    ElfNote note;
    note.type = header.n_type;
    note.owner = owner.substr(0, owner.find('\0'));
    note.desc = desc;
    notes.push_back(std::move(note));
  }
}

// The file as the loader maps it: what the dynamic table calls addresses, found by PT_LOAD.
class Image {
 public:
  Image(std::string_view bytes, std::vector<Elf64_Phdr> segments)
      : bytes_(bytes), segments_(std::move(segments)) {}

  // From the address to the end of what the file holds of its segment.
  std::string_view from(std::uint64_t address, const std::string& what) const {
    for (const Elf64_Phdr& segment : segments_) {
      if (segment.p_type != PT_LOAD || address < segment.p_vaddr) continue;
      const std::uint64_t into = address - segment.p_vaddr;
      if (into >= segment.p_filesz) continue;
      return slice(bytes_, segment.p_offset, segment.p_filesz, "the segment with " + what)
          .substr(into);
    }
    fail("damaged: " + what + " lies outside the loaded segments");
  }

 private:
  std::string_view bytes_;
  std::vector<Elf64_Phdr> segments_;
};

// The entries of PT_DYNAMIC that matter here.
struct Dynamic {
  std::vector<std::uint64_t> needed;
  std::optional<std::uint64_t> rpath, runpath;
  std::optional<std::uint64_t> strings, strings_size, symbols, hash, gnu_hash;
  std::uint64_t flags_1 = 0;
};

Dynamic read_dynamic(std::string_view segment) {
  Dynamic dynamic;
  for (std::uint64_t at = 0; at + sizeof(Elf64_Dyn) <= segment.size(); at += sizeof(Elf64_Dyn)) {
    const auto entry = read_at<Elf64_Dyn>(segment, at, "the dynamic table");
    const std::uint64_t value = entry.d_un.d_val;
    switch (entry.d_tag) {
      case DT_NULL:
        return dynamic;
      case DT_NEEDED:
        dynamic.needed.push_back(value);
        break;
      case DT_RPATH:
        dynamic.rpath = value;
        break;
      case DT_RUNPATH:
        dynamic.runpath = value;
        break;
      case DT_STRTAB:
        dynamic.strings = value;
        break;
      case DT_STRSZ:
        dynamic.strings_size = value;
        break;
      case DT_SYMTAB:
        dynamic.symbols = value;
        break;
      case DT_HASH:
        dynamic.hash = value;
        break;
      case DT_GNU_HASH:
        dynamic.gnu_hash = value;
        break;
      case DT_FLAGS_1:
        dynamic.flags_1 = value;
        break;
      default:
        break;
    }
  }
  return dynamic;
}

// The string table. The names read may add up to a few times its size, since names share endings,
// but not more: a file whose every symbol names one huge string must not fill the memory.
class Names {
 public:
  explicit Names(std::string_view strings) : strings_(strings), budget_(strings.size() * 16) {}

  std::string at(std::uint64_t offset) {
    if (offset >= strings_.size()) fail("damaged: a name lies outside the string table");
    const std::string_view rest = strings_.substr(offset);
    const std::size_t length = rest.find('\0');
    if (length == rest.npos) fail("damaged: a name in the string table has no end");
    if (length > budget_) fail("damaged: its names overlap beyond reason");
    budget_ -= length;
    return std::string(rest.substr(0, length));
  }

 private:
  std::string_view strings_;
  std::size_t budget_;
};

std::vector<std::string> split_path(const std::string& text) {
  std::vector<std::string> parts = split(text, ':');
  std::erase(parts, "");
  return parts;
}

// The dynamic symbol table has no length of its own: the hash table for lookups knows it.
std::uint64_t count_by_gnu_hash(std::string_view table) {
  const std::string what = "the GNU hash table";
  const auto buckets = read_at<std::uint32_t>(table, 0, what);
  const auto first_hashed = read_at<std::uint32_t>(table, 4, what);
  const auto bloom_words = read_at<std::uint32_t>(table, 8, what);
  const std::uint64_t buckets_at = 16 + std::uint64_t{bloom_words} * 8;
  const std::uint64_t chains_at = buckets_at + std::uint64_t{buckets} * 4;
  slice(table, buckets_at, std::uint64_t{buckets} * 4, what);

  std::uint64_t last = 0;
  for (std::uint64_t i = 0; i < buckets; ++i) {
    last = std::max<std::uint64_t>(last, read_at<std::uint32_t>(table, buckets_at + i * 4, what));
  }
  if (last < first_hashed) return first_hashed;  // nothing is exported
  while ((read_at<std::uint32_t>(table, chains_at + (last - first_hashed) * 4, what) & 1) == 0) {
    ++last;
  }
  return last + 1;
}

std::uint64_t count_symbols(const Image& image, const Dynamic& dynamic) {
  if (dynamic.hash) {
    const auto table = image.from(*dynamic.hash, "the hash table");
    return read_at<std::uint32_t>(table, 4, "the hash table");
  }
  if (dynamic.gnu_hash) {
    return count_by_gnu_hash(image.from(*dynamic.gnu_hash, "the GNU hash table"));
  }
  fail("damaged: it has neither DT_HASH nor DT_GNU_HASH");
}

void read_symbols(const Image& image, const Dynamic& dynamic, Names& names, ElfFile& elf) {
  const auto table = image.from(*dynamic.symbols, "the symbol table");
  const std::uint64_t count = count_symbols(image, dynamic);
  if (count > table.size() / sizeof(Elf64_Sym)) {
    fail("damaged: " + std::to_string(count) + " dynamic symbols do not fit into the file");
  }
  for (std::uint64_t i = 1; i < count; ++i) {  // symbol 0 is reserved
    const auto symbol = read_at<Elf64_Sym>(table, i * sizeof(Elf64_Sym), "a dynamic symbol");
    const bool local = ELF64_ST_BIND(symbol.st_info) == STB_LOCAL;
    const auto visibility = ELF64_ST_VISIBILITY(symbol.st_other);
    if (local || symbol.st_name == 0) continue;
    if (symbol.st_shndx == SHN_UNDEF) {
      elf.imports.push_back(names.at(symbol.st_name));
    } else if (visibility == STV_DEFAULT || visibility == STV_PROTECTED) {
      elf.exports.push_back(names.at(symbol.st_name));
    }
  }
}

}  // namespace

ElfFile read_elf(std::string_view bytes) {
  const Elf64_Ehdr header = read_header(bytes);
  const auto table = slice(bytes, header.e_phoff,
                           std::uint64_t{header.e_phnum} * sizeof(Elf64_Phdr), "program headers");
  std::vector<Elf64_Phdr> segments(header.e_phnum);
  std::memcpy(segments.data(), table.data(), table.size());

  ElfFile elf;
  std::optional<Dynamic> dynamic;
  for (const Elf64_Phdr& segment : segments) {
    // Of every segment, so that a file cut short is told here and not by the loader.
    const auto contents = slice(bytes, segment.p_offset, segment.p_filesz, "a segment");
    if (segment.p_type == PT_NOTE) {
      read_notes(contents, segment.p_align == 8 ? 8 : 4, elf.notes);
    } else if (segment.p_type == PT_DYNAMIC) {
      dynamic = read_dynamic(contents);
    }
  }
  if (!dynamic) fail("not a shared library: it has no dynamic table");
  if (dynamic->flags_1 & DF_1_PIE) fail(type_name(ET_EXEC));
  if (!dynamic->strings || !dynamic->strings_size || !dynamic->symbols) {
    fail("damaged: its dynamic table names no string or symbol table");
  }

  const Image image(bytes, std::move(segments));
  Names names(slice(image.from(*dynamic->strings, "the string table"), 0, *dynamic->strings_size,
                    "the string table"));
  for (const std::uint64_t offset : dynamic->needed) {
    elf.needed.push_back(names.at(offset));
  }
  if (dynamic->runpath) {
    elf.runpath = split_path(names.at(*dynamic->runpath));
  } else if (dynamic->rpath) {
    elf.rpath = split_path(names.at(*dynamic->rpath));
  }
  read_symbols(image, *dynamic, names, elf);
  return elf;
}

}  // namespace hob::host
