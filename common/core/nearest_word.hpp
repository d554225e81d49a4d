#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace quartet {

/// The word that was probably meant: the only word that begins with `misspelt`, else the word with
/// the fewest letters that are missing, extra, wrong or swapped (optimal string alignment), at most
/// a third of its letters. Ignores case, and the difference of '_' and '-'. Nothing if no word is
/// near.
std::optional<std::string> nearest_word(std::string_view misspelt,
                                        std::span<const std::string> words);

/// ": did you mean native?", or nothing if no word is near.
std::string did_you_mean(std::string_view misspelt, std::span<const std::string> words);

/// "'nativ' is not one of native|library: did you mean native?"
std::string not_one_of(std::string_view given, std::span<const std::string> words);

}  // namespace quartet
