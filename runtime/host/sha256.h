#pragma once

#include <cstddef>
#include <span>
#include <string>

namespace hob::host {

// SHA-256 (FIPS 180-4) in 64 lower-case hex digits.
std::string sha256(std::span<const std::byte> bytes);

}  // namespace hob::host
