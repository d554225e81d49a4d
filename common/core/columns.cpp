#include "core/columns.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

namespace quartet {

namespace {

constexpr std::size_t most_columns = 80;

}  // namespace

std::string indented_lines(std::string begun, std::string_view text, std::size_t indent) {
    std::string lines;
    std::string line = std::move(begun);
    bool is_empty = true;
    while (!text.empty()) {
        const std::size_t end = std::min(text.find(' '), text.size());
        const std::string_view word = text.substr(0, end);
        text.remove_prefix(std::min(end + 1, text.size()));
        if (!is_empty && line.size() + 1 + word.size() > most_columns) {
            lines += line.substr(0, line.find_last_not_of(' ') + 1) + "\n";
            line = std::string(indent, ' ');
            is_empty = true;
        }
        if (is_empty && word.empty() && !lines.empty()) {
            continue;  // only the first line may begin with a space
        }
        line += is_empty ? "" : " ";
        line += word;
        is_empty = false;
    }
    return fmt::format("{}{}\n", lines, line);
}

std::string within_columns(std::string_view text, std::size_t indent) {
    std::string lines;
    while (!text.empty()) {
        const std::size_t end = std::min(text.find('\n'), text.size());
        const std::string_view line = text.substr(0, end);
        text.remove_prefix(std::min(end + 1, text.size()));
        const std::size_t begin = std::min(line.find_first_not_of(' '), line.size());
        lines += line.size() <= most_columns
                     ? fmt::format("{}\n", line)
                     : indented_lines(std::string(begin, ' '), line.substr(begin), indent);
    }
    return lines;
}

}  // namespace quartet
