#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace hob::app {

// Columns of the terminal that standard output is; 0 where it is none: lines are not wrapped then,
// so that each is whole for whatever reads them.
std::size_t terminal_columns();

// Columns that a text takes: its Unicode code points.
std::size_t display_width(std::string_view text);

// The text and blanks up to a width; a longer text as it is.
std::string padded(std::string_view text, std::size_t width);

// Breaks a text at its blanks so that it stays within `columns`. It begins at column `indent`, and
// so do its further lines. 0 columns, and too few to read: it stays one line.
std::string wrapped(std::string_view text, std::size_t indent, std::size_t columns);

}  // namespace hob::app
