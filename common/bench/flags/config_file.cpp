#include "bench/flags/config_file.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <string_view>

#include "core/check.hpp"
#include "core/files/file.hpp"

namespace quartet::bench {

namespace {

constexpr Bytes most_of_a_config = mebibytes(1);
constexpr std::size_t longest_line = 4096;
constexpr std::string_view blanks = " \t\r";

std::string_view trimmed(std::string_view text) {
    const std::size_t begin = std::min(text.find_first_not_of(blanks), text.size());
    const std::size_t end = text.find_last_not_of(blanks);
    return text.substr(begin, end == std::string_view::npos ? 0 : end + 1 - begin);
}

// Of both kinds; one kind may stand within the other.
bool quotes_close(std::string_view line) {
    char open = '\0';
    for (const char character : line) {
        if (open == '\0' && (character == '"' || character == '\'')) {
            open = character;
        } else if (character == open) {
            open = '\0';
        }
    }
    return open == '\0';
}

// Why a line cannot be read; empty where it can.
std::string problem_of(std::string_view line) {
    if (line.size() > longest_line) {
        return fmt::format("it has {} characters, at most {}: shorten it", line.size(),
                           longest_line);
    }
    line = trimmed(line);
    if (line.starts_with('[')) {
        const std::string_view name = line.substr(1, line.find(']') - 1);
        return quotation(name) + " is a section (flags stand in none): leave it out";
    }
    // The parser's comments begin within quotes, too.
    const std::string_view before_comment = line.substr(0, line.find('#'));
    if (!line.starts_with(';') && !quotes_close(before_comment)) {
        return quotation(before_comment) + " lacks a closing quote: add it";
    }
    return {};
}

}  // namespace

std::string config_text(const std::string& file) {
    if (file.empty()) {
        throw UsageError("--config: an empty name names no file");
    }
    std::string text;
    try {
        text = contents(std::filesystem::path(file), most_of_a_config);
    } catch (const FileError& error) {
        throw UsageError(fmt::format("--config: {}", error.what()));
    }
    std::size_t number = 0;
    for (std::size_t begin = 0; begin < text.size();) {
        const std::size_t end = std::min(text.find('\n', begin), text.size());
        ++number;
        const std::string problem = problem_of(std::string_view(text).substr(begin, end - begin));
        if (!problem.empty()) {
            throw UsageError(
                fmt::format("--config: {}: line {}: {}", quotation(file), number, problem));
        }
        begin = end + 1;
    }
    return text;
}

void require_switch_word(const std::string& flag, const std::string& value) {
    static constexpr std::array<std::string_view, 6> words{"true", "false", "on", "off", "1", "0"};
    if (std::ranges::find(words, value) == words.end()) {
        throw UsageError(fmt::format("{}: {} is neither true nor false: write one of them", flag,
                                     quotation(value)));
    }
}

}  // namespace quartet::bench
