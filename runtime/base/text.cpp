#include "base/text.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <cstdio>

namespace hob {
namespace {

constexpr std::size_t kLongestQuote = 120;

struct SizeUnit {
  std::string_view name;
  std::int64_t bytes;
};
constexpr std::array<SizeUnit, 10> kSizeUnits{{{"TiB", std::int64_t{1} << 40},
                                               {"GiB", std::int64_t{1} << 30},
                                               {"MiB", std::int64_t{1} << 20},
                                               {"KiB", std::int64_t{1} << 10},
                                               {"TB", 1'000'000'000'000},
                                               {"GB", 1'000'000'000},
                                               {"MB", 1'000'000},
                                               {"kB", 1'000},
                                               {"KB", 1'000},
                                               {"B", 1}}};

bool is_digit(char c) {
  return c >= '0' && c <= '9';
}

std::string fold(std::string_view name) {
  std::string folded(name);
  for (char& c : folded) {
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
    if (c == '-') c = '_';
  }
  return folded;
}

// Optimal string alignment: Damerau-Levenshtein in which no part is edited twice.
std::size_t edit_distance(const std::string& a, const std::string& b) {
  std::vector<std::size_t> before_last(b.size() + 1), last(b.size() + 1), row(b.size() + 1);
  for (std::size_t j = 0; j <= b.size(); ++j) last[j] = j;
  for (std::size_t i = 1; i <= a.size(); ++i) {
    row[0] = i;
    for (std::size_t j = 1; j <= b.size(); ++j) {
      const std::size_t substitution = last[j - 1] + (a[i - 1] == b[j - 1] ? 0 : 1);
      row[j] = std::min({last[j] + 1, row[j - 1] + 1, substitution});
      if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1]) {
        row[j] = std::min(row[j], before_last[j - 2] + 1);
      }
    }
    std::swap(before_last, last);
    std::swap(last, row);
  }
  return last[b.size()];
}

}  // namespace

std::optional<std::string> nearest_name(std::string_view name,
                                        std::span<const std::string> candidates) {
  std::optional<std::string> nearest;
  std::size_t least = 0;
  for (const std::string& candidate : candidates) {
    // Checked before any copy: a hostile name may be as long as the file.
    const std::size_t limit = std::max<std::size_t>(1, candidate.size() / 3);
    if (name.size() > candidate.size() + limit || candidate.size() > name.size() + limit) continue;
    const std::size_t distance = edit_distance(fold(name), fold(candidate));
    if (distance > limit || distance >= candidate.size()) continue;
    if (!nearest || distance < least) {
      nearest = candidate;
      least = distance;
    }
  }
  return nearest;
}

std::string did_you_mean(std::string_view name, std::span<const std::string> candidates) {
  const std::optional<std::string> nearest = nearest_name(name, candidates);
  return nearest ? "; did you mean " + quote(*nearest) + "?" : "";
}

std::string join(std::span<const std::string> parts, std::string_view separator) {
  std::string joined;
  for (const std::string& part : parts) {
    if (&part != &parts.front()) joined += separator;
    joined += part;
  }
  return joined;
}

std::string quote(std::string_view text) {
  const bool cut = text.size() > kLongestQuote;
  if (cut) {
    std::size_t end = kLongestQuote;
    while (end > 0 && (static_cast<unsigned char>(text[end]) & 0xC0) == 0x80) --end;
    text = text.substr(0, end);
  }
  std::string quoted = "'";
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    if (c == '\n') {
      quoted += "\\n";
    } else if (byte < 0x20 || byte == 0x7F) {
      std::array<char, 5> escaped{};
      std::snprintf(escaped.data(), escaped.size(), "\\x%02x", byte);
      quoted += escaped.data();
    } else {
      quoted += c;
    }
  }
  return quoted + (cut ? "...'" : "'");
}

std::string quote_all(std::span<const std::string> texts) {
  if (texts.empty()) return "(none)";
  std::vector<std::string> quoted;
  for (const std::string& text : texts) quoted.push_back(quote(text));
  return join(quoted, ", ");
}

std::vector<std::string> split(std::string_view text, char separator) {
  std::vector<std::string> parts;
  while (true) {
    const std::size_t end = text.find(separator);
    parts.emplace_back(text.substr(0, end));
    if (end == std::string_view::npos) return parts;
    text.remove_prefix(end + 1);
  }
}

std::optional<std::int64_t> parse_size(std::string_view text) {
  const std::size_t digits_end =
      std::find_if_not(text.begin(), text.end(), [](char c) { return is_digit(c) || c == '.'; }) -
      text.begin();
  const std::string_view number = text.substr(0, digits_end);
  std::string_view unit = text.substr(digits_end);
  if (!unit.empty() && unit.front() == ' ') unit.remove_prefix(1);
  if (number.empty() || !is_digit(number.front()) || !is_digit(number.back())) return std::nullopt;

  std::int64_t factor = 1;
  if (!unit.empty() || digits_end != text.size()) {
    const auto found = std::find_if(kSizeUnits.begin(), kSizeUnits.end(),
                                    [&](const SizeUnit& known) { return known.name == unit; });
    if (found == kSizeUnits.end()) return std::nullopt;
    factor = found->bytes;
  }
  const char* const end = number.data() + number.size();
  std::int64_t whole = 0;
  const auto [after, failure] = std::from_chars(number.data(), end, whole);
  if (failure != std::errc{}) return std::nullopt;
  if (after == end) {
    std::int64_t bytes = 0;
    if (__builtin_mul_overflow(whole, factor, &bytes)) return std::nullopt;
    return bytes;
  }
  double fractional = 0;
  const auto [last, float_failure] = std::from_chars(number.data(), end, fractional);
  const double bytes = fractional * static_cast<double>(factor);
  if (float_failure != std::errc{} || last != end || bytes >= 0x1p53) return std::nullopt;
  if (bytes != std::floor(bytes)) return std::nullopt;
  return static_cast<std::int64_t>(bytes);
}

std::string format_size(std::int64_t bytes) {
  for (const SizeUnit& unit : kSizeUnits) {
    const bool binary = unit.name.size() == 3 || unit.bytes == 1;
    if (binary && bytes != 0 && bytes % unit.bytes == 0) {
      return std::to_string(bytes / unit.bytes) + std::string(unit.name);
    }
  }
  return std::to_string(bytes) + "B";
}

std::string format_size_rounded(std::int64_t bytes) {
  std::array<char, 48> text{};
  for (const SizeUnit& unit : kSizeUnits) {
    if (unit.name.size() != 3 || std::abs(bytes) < unit.bytes) continue;
    const double amount = static_cast<double>(bytes) / static_cast<double>(unit.bytes);
    const int decimals = std::abs(amount) < 10 ? 2 : std::abs(amount) < 100 ? 1 : 0;
    std::snprintf(text.data(), text.size(), "%.*f %s", decimals, amount, unit.name.data());
    return text.data();
  }
  return std::to_string(bytes) + " B";
}

std::string format_seconds(double seconds) {
  std::array<char, 48> text{};
  if (!(std::abs(seconds) < 1e15)) return format_number(seconds) + "s";
  const auto whole = static_cast<long long>(std::llround(seconds));
  if (seconds < 0.9995) {
    std::snprintf(text.data(), text.size(), "%.0fms", seconds * 1e3);
  } else if (seconds < 59.95) {
    std::snprintf(text.data(), text.size(), "%.1fs", seconds);
  } else if (whole < 3600) {
    std::snprintf(text.data(), text.size(), "%lldm %02llds", whole / 60, whole % 60);
  } else if (whole < 24 * 3600) {
    std::snprintf(text.data(), text.size(), "%lldh %02lldm", whole / 3600, whole / 60 % 60);
  } else {
    std::snprintf(text.data(), text.size(), "%lldd %02lldh", whole / 86400, whole / 3600 % 24);
  }
  return text.data();
}

std::string format_number(double value) {
  if (std::isnan(value)) return "nan";  // its sign means nothing
  std::array<char, 32> text{};
  const auto [end, failure] = std::to_chars(text.data(), text.data() + text.size(), value);
  return failure == std::errc{} ? std::string(text.data(), end) : std::to_string(value);
}

}  // namespace hob
