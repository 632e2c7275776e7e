#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace hob::recipe {

enum class DurationUnit { kEpochs, kUpdates, kSamples, kTokens, kSeconds };

// A length of training, as a recipe writes it: "3ep", "500up", "10ksamp", "2Gtok", "30m". All but
// epochs and seconds are whole numbers.
struct Duration {
  double value = 0;
  DurationUnit unit = DurationUnit::kUpdates;

  bool operator==(const Duration&) const = default;
};

// Throws hob::Error (kUsage) that says which part is wrong and shows the right forms.
Duration parse_duration(std::string_view text);

// The shortest text that parse_duration reads back to the same value.
std::string format_duration(const Duration& duration);

}  // namespace hob::recipe
