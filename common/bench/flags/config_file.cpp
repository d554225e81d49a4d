#include "bench/flags/config_file.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <optional>
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

// Takes a value off the text: in quotes, or up to one of `ends`.
std::string take_value(std::string_view& text, std::string_view ends) {
    text = trimmed(text);
    const bool quoted = text.starts_with('"') || text.starts_with('\'');
    std::size_t end = quoted ? text.find(text.front(), 1) : text.find_first_of(ends);
    if (quoted && end == std::string_view::npos) {
        throw UsageError(quotation(text) + " lacks a closing quote: add it");
    }
    end = std::min(end, text.size());
    const std::string value(quoted ? text.substr(1, end - 1) : trimmed(text.substr(0, end)));
    text = trimmed(text.substr(end + (quoted ? 1 : 0)));
    return value;
}

// "[mpi, shm]" as "mpi,shm".
std::string take_list(std::string_view& text) {
    std::string members;
    do {
        text.remove_prefix(1);  // the bracket, or a comma
        members += (members.empty() ? "" : ",") + take_value(text, ",]#");
    } while (text.starts_with(','));
    if (!text.starts_with(']')) {
        throw UsageError("the list lacks a closing bracket: add it");
    }
    text = trimmed(text.substr(1));
    return members;
}

// Nothing for an empty line or a comment.
std::optional<ConfigLine> read_line(std::string_view line) {
    if (line.size() > longest_line) {
        throw UsageError(
            fmt::format("it has {} characters, at most {}: shorten it", line.size(), longest_line));
    }
    line = trimmed(line);
    if (line.empty() || line.starts_with('#') || line.starts_with(';')) {
        return std::nullopt;
    }
    if (line.starts_with('[')) {
        throw UsageError(quotation(line.substr(1, line.find(']') - 1)) +
                         " is a section (flags have none): leave it out");
    }
    ConfigLine found{take_value(line, "=#"), "true"};
    if (line.starts_with('=')) {
        line = trimmed(line.substr(1));
        found.value = line.starts_with('[') ? take_list(line) : take_value(line, "#");
    }
    if (!line.empty() && !line.starts_with('#')) {
        throw UsageError(quotation(line) + " follows the value: leave it out");
    }
    return found;
}

}  // namespace

std::vector<ConfigLine> read_config(const std::string& file) {
    if (file.empty()) {
        throw UsageError("--config: file name is empty");
    }
    std::string text;
    try {
        text = contents(std::filesystem::path(file), most_of_a_config);
    } catch (const FileError& error) {
        throw UsageError(fmt::format("--config: {}", error.what()));
    }
    std::vector<ConfigLine> lines;
    std::size_t number = 0;
    for (std::size_t begin = 0; begin < text.size();) {
        const std::size_t end = std::min(text.find('\n', begin), text.size());
        ++number;
        try {
            if (auto line = read_line(std::string_view(text).substr(begin, end - begin))) {
                lines.push_back(std::move(*line));
            }
        } catch (const UsageError& error) {
            throw UsageError(
                fmt::format("--config: {}: line {}: {}", quotation(file), number, error.what()));
        }
        begin = end + 1;
    }
    return lines;
}

bool is_on(const ConfigLine& line) {
    static constexpr std::array<std::string_view, 3> on{"true", "on", "1"};
    static constexpr std::array<std::string_view, 3> off{"false", "off", "0"};
    if (std::ranges::find(on, line.value) != on.end()) {
        return true;
    }
    if (std::ranges::find(off, line.value) == off.end()) {
        throw UsageError(fmt::format("{}: {} is neither true nor false: write one of them",
                                     line.flag, quotation(line.value)));
    }
    return false;
}

}  // namespace quartet::bench
