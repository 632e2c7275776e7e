#pragma once

#include <array>
#include <cstdint>
#include <string_view>

namespace hob {

// Random numbers that depend on their keys alone, on no thread and no order: SplitMix64 (Steele,
// Lea and Flood, "Fast splittable pseudorandom number generators", 2014) seeded by the keys.
class Random {
 public:
  template <class... Keys>
  explicit Random(Keys... keys) {
    ((state_ = mix(state_ ^ static_cast<uint64_t>(keys)) + kGamma), ...);
  }

  uint64_t bits() { return mix(state_ += kGamma); }
  // Uniform in [0, 1), a multiple of 2^-53.
  double uniform() { return static_cast<double>(bits() >> 11) * 0x1.0p-53; }
  // Uniform in 0 .. n - 1, n > 0; the bias is below n / 2^64.
  uint64_t below(uint64_t n) {
    return static_cast<uint64_t>((static_cast<unsigned __int128>(bits()) * n) >> 64);
  }

 private:
  static constexpr uint64_t kGamma = 0x9e3779b97f4a7c15;
  static uint64_t mix(uint64_t z) {
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9;
    z = (z ^ (z >> 27)) * 0x94d049bb133111eb;
    return z ^ (z >> 31);
  }
  uint64_t state_ = kGamma;
};

// A key made of a name, for Random: FNV-1a (Fowler, Noll, Vo), the same on every machine.
constexpr uint64_t key(std::string_view name) {
  uint64_t hash = 0xcbf29ce484222325;
  for (const char c : name) hash = (hash ^ static_cast<unsigned char>(c)) * 0x100000001b3;
  return hash;
}

}  // namespace hob
