#pragma once

#include <cstdint>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>

namespace hob::test {

inline void write_raw(const std::filesystem::path& path, const std::string& bytes) {
  std::ofstream(path, std::ios::binary) << bytes;
}

inline std::string read_raw(const std::filesystem::path& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

// A number's bytes, little endian.
template <typename T>
std::string raw_bytes(T value) {
  return std::string(reinterpret_cast<const char*>(&value), sizeof value);
}

// A safetensors file of any header, however wrong.
inline std::string raw_safetensors(const std::string& header, const std::string& data) {
  return raw_bytes<std::uint64_t>(header.size()) + header + data;
}

}  // namespace hob::test
