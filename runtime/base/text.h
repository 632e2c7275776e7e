#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace hob {

// The candidate that a mistyped name most likely meant: the least Damerau-Levenshtein distance
// (adjacent letters swapped count once), blind to case and to '-' for '_'. None where even the
// nearest differs in more than a third of its letters.
std::optional<std::string> nearest_name(std::string_view name,
                                        std::span<const std::string> candidates);

// "; did you mean 'adamw'?", or "" where nothing is near: to be put at the end of a message.
std::string did_you_mean(std::string_view name, std::span<const std::string> candidates);

std::string join(std::span<const std::string> parts, std::string_view separator);

// 'text', safe to print: control characters are escaped, and a long text is cut short.
std::string quote(std::string_view text);

// "'a', 'b', 'c'", each quoted; "(none)" for an empty list.
std::string quote_all(std::span<const std::string> texts);

// The parts between separators, empty ones too; a text without one is one part.
std::vector<std::string> split(std::string_view text, char separator);

// Bytes from "22GiB", "1.5MB" or "512": powers of 1024 for KiB to TiB, of 1000 for kB to TB. None
// for anything else, for a fraction of a byte, and beyond 63 bits.
std::optional<std::int64_t> parse_size(std::string_view text);

// The exact size, as parse_size reads it back: "22GiB", "1000B".
std::string format_size(std::int64_t bytes);

// A size for people, with three digits: "21.3 GiB".
std::string format_size_rounded(std::int64_t bytes);

// A time for people: "850ms", "12.5s", "3m 20s", "2h 05m", "3d 04h".
std::string format_seconds(double seconds);

// The shortest decimal text that reads back to the same number: "0.1", "1e-07", "inf", "nan".
std::string format_number(double value);

}  // namespace hob
