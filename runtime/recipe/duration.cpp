#include "recipe/duration.h"

#include <array>
#include <charconv>
#include <cmath>

#include "base/error.h"
#include "base/text.h"

namespace hob::recipe {
namespace {

constexpr double kMostExact = 0x1p53;  // above, a double skips whole numbers

struct UnitName {
  std::string_view name;
  DurationUnit unit;
  double factor;
};
// Of two that fit, the first is written.
constexpr std::array<UnitName, 18> kUnitNames{{{"ep", DurationUnit::kEpochs, 1},
                                               {"Gup", DurationUnit::kUpdates, 1e9},
                                               {"Mup", DurationUnit::kUpdates, 1e6},
                                               {"kup", DurationUnit::kUpdates, 1e3},
                                               {"up", DurationUnit::kUpdates, 1},
                                               {"Gsamp", DurationUnit::kSamples, 1e9},
                                               {"Msamp", DurationUnit::kSamples, 1e6},
                                               {"ksamp", DurationUnit::kSamples, 1e3},
                                               {"samp", DurationUnit::kSamples, 1},
                                               {"Ttok", DurationUnit::kTokens, 1e12},
                                               {"Gtok", DurationUnit::kTokens, 1e9},
                                               {"Mtok", DurationUnit::kTokens, 1e6},
                                               {"ktok", DurationUnit::kTokens, 1e3},
                                               {"tok", DurationUnit::kTokens, 1},
                                               {"d", DurationUnit::kSeconds, 86400},
                                               {"h", DurationUnit::kSeconds, 3600},
                                               {"m", DurationUnit::kSeconds, 60},
                                               {"s", DurationUnit::kSeconds, 1}}};

bool is_counted(DurationUnit unit) {
  return unit != DurationUnit::kEpochs && unit != DurationUnit::kSeconds;
}

[[noreturn]] void refuse(std::string_view text, const std::string& why) {
  throw Error(Fault::kUsage, quote(text) + " is not a duration: " + why +
                                 "; write for example \"3ep\", \"500up\" (updates), \"10ksamp\", "
                                 "\"2Gtok\", \"90s\", \"30m\", \"2h\"");
}

}  // namespace

Duration parse_duration(std::string_view text) {
  const std::size_t number_size = std::min(text.find_first_not_of("0123456789."), text.size());
  const std::string_view number = text.substr(0, number_size);
  const std::string_view name = text.substr(number_size);
  double value = 0;
  const char* const end = number.data() + number.size();
  const auto [after, failure] = std::from_chars(number.data(), end, value);
  if (number.empty() || number.front() == '.' || number.back() == '.' || after != end) {
    refuse(text, "it does not start with a number");
  }
  if (failure != std::errc{}) refuse(text, "the number is too large");
  for (const UnitName& known : kUnitNames) {
    if (known.name != name) continue;
    const Duration duration{value * known.factor, known.unit};
    if (!(duration.value < kMostExact)) refuse(text, "the number is too large");
    if (is_counted(duration.unit) && duration.value != std::floor(duration.value)) {
      refuse(text, "only epochs and times may be fractions");
    }
    return duration;
  }
  refuse(text, name.empty() ? "it has no unit" : "there is no unit " + quote(name));
}

std::string format_duration(const Duration& duration) {
  for (const UnitName& known : kUnitNames) {
    if (known.unit != duration.unit) continue;
    const double amount = duration.value / known.factor;
    const bool whole = amount == std::floor(amount) && amount * known.factor == duration.value;
    if (known.factor != 1 && (!whole || duration.value == 0)) continue;
    std::array<char, 400> digits{};
    const auto [end, failure] = std::to_chars(digits.data(), digits.data() + digits.size(), amount,
                                              std::chars_format::fixed);
    return std::string(digits.data(), end) + std::string(known.name);
  }
  return "";  // every unit has a name of factor 1
}

}  // namespace hob::recipe
