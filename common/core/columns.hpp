#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace quartet {

/// Lines of text for people have at most this many columns.
inline constexpr std::size_t most_columns = 80;

/// Lines of words, indented and at most 80 columns long. The first line goes on behind `begun`;
/// words that are longer than a line stay whole.
std::string indented_lines(std::string begun, std::string_view text, std::size_t indent);

/// The lines of a text; those that are longer than 80 columns go on in the next one, indented.
std::string within_columns(std::string_view text, std::size_t indent);

}  // namespace quartet
