#include "core/nearest_word.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cctype>
#include <limits>
#include <vector>

#include "core/check.hpp"

namespace quartet {

namespace {

constexpr std::size_t longest_word = 64;  // a longer text is no misspelling, and takes long
constexpr std::size_t shortest_beginning = 2;

std::string folded(std::string_view text) {
    std::string result(text);
    std::ranges::transform(result, result.begin(), [](unsigned char letter) {
        return letter == '_' ? '-' : static_cast<char>(std::tolower(letter));
    });
    return result;
}

// The optimal string alignment distance: Damerau's, but no part is edited twice. Keeps three rows.
std::size_t distance(const std::string& a, const std::string& b) {
    std::vector<std::size_t> older(b.size() + 1);
    std::vector<std::size_t> old(b.size() + 1);
    std::vector<std::size_t> row(b.size() + 1);
    for (std::size_t j = 0; j <= b.size(); ++j) {
        row[j] = j;
    }
    for (std::size_t i = 1; i <= a.size(); ++i) {
        std::swap(older, old);
        std::swap(old, row);
        row[0] = i;
        for (std::size_t j = 1; j <= b.size(); ++j) {
            const std::size_t replaced = old[j - 1] + (a[i - 1] == b[j - 1] ? 0 : 1);
            row[j] = std::min({old[j] + 1, row[j - 1] + 1, replaced});
            if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1]) {
                row[j] = std::min(row[j], older[j - 2] + 1);
            }
        }
    }
    return row[b.size()];
}

}  // namespace

std::optional<std::string> nearest_word(std::string_view misspelt,
                                        std::span<const std::string> words) {
    if (misspelt.empty() || misspelt.size() > longest_word) {
        return std::nullopt;
    }
    const std::string wanted = folded(misspelt);
    const auto begins = [&](const std::string& word) { return folded(word).starts_with(wanted); };
    if (wanted.size() >= shortest_beginning && std::ranges::count_if(words, begins) == 1) {
        return *std::ranges::find_if(words, begins);
    }
    std::optional<std::string> nearest;
    std::size_t least = std::numeric_limits<std::size_t>::max();
    for (const std::string& word : words) {
        const std::size_t edits = distance(wanted, folded(word));
        if (edits < least && edits <= std::max(word.size(), wanted.size()) / 3) {
            least = edits;
            nearest = word;
        }
    }
    return nearest;
}

std::string did_you_mean(std::string_view misspelt, std::span<const std::string> words) {
    const auto nearest = nearest_word(misspelt, words);
    return nearest ? fmt::format(": did you mean {}?", *nearest) : "";
}

std::string not_one_of(std::string_view given, std::span<const std::string> words) {
    return fmt::format("{} is not one of {}{}", quotation(given), fmt::join(words, "|"),
                       did_you_mean(given, words));
}

}  // namespace quartet
