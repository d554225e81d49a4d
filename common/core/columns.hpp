#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace quartet {

/// Wraps words into lines of at most 80 columns. The first line begins with `begun`, the others
/// with `indent` spaces. A word that is longer than a line stays whole.
std::string indented_lines(std::string begun, std::string_view text, std::size_t indent);

/// Wraps the lines of a text that are longer than 80 columns; what follows is indented by `indent`
/// spaces.
std::string within_columns(std::string_view text, std::size_t indent);

}  // namespace quartet
