#pragma once

#include <hob/abi/dataset.h>

#include <cstddef>
#include <span>
#include <string>
#include <vector>

#include "data/field.h"

namespace hob::session::verify {

// Memory for the fields of a sample, with guards before and after each: bytes that nobody may
// write.
class GuardedFields {
 public:
  // All bytes of the fields have this value at first.
  GuardedFields(std::span<const hob_field> fields, unsigned char fill)
      : fields_(fields.begin(), fields.end()) {
    std::size_t size = kGuard;
    for (const hob_field& field : fields_) {
      offsets_.push_back(size);
      size += data::field_bytes(field);
      // The next one begins on a boundary, at the latest after a whole guard.
      size = (size + kGuard + data::kAlignment - 1) / data::kAlignment * data::kAlignment;
    }
    memory_.resize(size + kGuard + data::kAlignment);
    base_ = reinterpret_cast<std::size_t>(memory_.data()) % data::kAlignment;
    base_ = (data::kAlignment - base_) % data::kAlignment;
    for (unsigned char& byte : memory_) byte = kGuardByte;
    for (std::size_t i = 0; i < fields_.size(); ++i) {
      for (unsigned char& byte : bytes(i)) byte = fill;
    }
    for (std::size_t i = 0; i < fields_.size(); ++i) {
      views_.push_back(data::sample_view(fields_[i], bytes(i).data()));
    }
  }
  GuardedFields(const GuardedFields&) = delete;
  GuardedFields& operator=(const GuardedFields&) = delete;

  std::span<const hob_view> views() const { return views_; }
  std::span<unsigned char> bytes(std::size_t field) {
    return {memory_.data() + base_ + offsets_[field], data::field_bytes(fields_[field])};
  }

  // The contents of all fields.
  std::string contents() {
    std::string all;
    for (std::size_t i = 0; i < fields_.size(); ++i) {
      const auto own = bytes(i);
      all.append(reinterpret_cast<const char*>(own.data()), own.size());
    }
    return all;
  }

  // True while nothing was written outside of the fields.
  bool is_intact() {
    std::vector<bool> inside(memory_.size());
    for (std::size_t i = 0; i < fields_.size(); ++i) {
      const auto own = bytes(i);
      const auto begin = static_cast<std::size_t>(own.data() - memory_.data());
      for (std::size_t at = begin; at < begin + own.size(); ++at) inside[at] = true;
    }
    for (std::size_t at = 0; at < memory_.size(); ++at) {
      if (!inside[at] && memory_[at] != kGuardByte) return false;
    }
    return true;
  }

 private:
  static constexpr std::size_t kGuard = 256;
  static constexpr unsigned char kGuardByte = 0xa5;

  std::vector<hob_field> fields_;
  std::vector<std::size_t> offsets_;
  std::size_t base_ = 0;
  std::vector<unsigned char> memory_;
  std::vector<hob_view> views_;
};

}  // namespace hob::session::verify
