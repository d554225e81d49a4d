#include "system/system_text.hpp"

#include <algorithm>
#include <charconv>
#include <fstream>
#include <sstream>
#include <system_error>

namespace quartet::system {

std::optional<std::string> read_text(const std::filesystem::path& file) {
    std::ifstream in(file);
    if (!in) {
        return std::nullopt;
    }
    std::ostringstream text;
    text << in.rdbuf();  // of a folder: nothing
    return text.str();
}

std::string first_line(const std::filesystem::path& file) {
    const std::string text = read_text(file).value_or("");
    return text.substr(0, text.find('\n'));
}

std::string_view take_until(std::string_view& text, char end) {
    const auto length = std::min(text.find(end), text.size());
    const auto taken = text.substr(0, length);
    text.remove_prefix(std::min(length + 1, text.size()));
    return taken;
}

std::string value_of(std::string_view text, std::string_view key, char separator) {
    while (!text.empty()) {
        std::string_view line = take_until(text, '\n');
        if (!line.starts_with(key)) {
            continue;
        }
        line.remove_prefix(key.size());
        line.remove_prefix(std::min(line.find_first_not_of(" \t"), line.size()));
        if (!line.starts_with(separator)) {
            continue;
        }
        line.remove_prefix(1);
        line.remove_prefix(std::min(line.find_first_not_of(" \""), line.size()));
        return std::string(line.substr(0, line.find('"')));
    }
    return {};
}

std::optional<std::int64_t> parse_number(std::string_view text) {
    text.remove_prefix(std::min(text.find_first_not_of(' '), text.size()));
    std::int64_t number = 0;
    const auto result = std::from_chars(text.data(), text.data() + text.size(), number);
    return result.ec == std::errc() ? std::optional(number) : std::nullopt;
}

}  // namespace quartet::system
