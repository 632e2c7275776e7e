#pragma once

#include <array>
#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>

namespace hob {

// SHA-256 (FIPS 180-4) of bytes that come in pieces.
class Sha256 {
 public:
  void update(std::string_view bytes);

  // 64 lower-case hex digits. Ends the hash: nothing may follow.
  std::string hex();

 private:
  void add_block(const unsigned char* block);

  std::array<std::uint32_t, 8> state_{0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a,
                                      0x510e527f, 0x9b05688c, 0x1f83d9ab, 0x5be0cd19};
  std::array<unsigned char, 64> pending_{};
  std::size_t pending_size_ = 0;
  std::uint64_t total_bytes_ = 0;
};

std::string sha256_hex(std::string_view bytes);

// Throws hob::Error (kRun) that names the path and the cause.
std::string sha256_of_file(const std::filesystem::path& path);

}  // namespace hob
