#include "system/memory/mapping.hpp"

#include <charconv>

namespace quartet::system {

namespace {

// Takes a hexadecimal number and the character that ends it from the beginning.
std::optional<std::uintptr_t> take_number(std::string_view& text, char ending) {
    std::uintptr_t value = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value, 16);
    const auto length = static_cast<std::size_t>(end - text.data());
    if (error != std::errc{} || length == text.size() || *end != ending) {
        return std::nullopt;
    }
    text.remove_prefix(length + 1);
    return value;
}

}  // namespace

std::optional<Mapping> mapping_of(std::string_view line) {
    const auto begin = take_number(line, '-');
    const auto end = begin ? take_number(line, ' ') : std::nullopt;
    const auto permissions = end ? line.find(' ') : std::string_view::npos;
    if (permissions == std::string_view::npos) {
        return std::nullopt;
    }
    line.remove_prefix(permissions + 1);
    const auto offset = take_number(line, ' ');
    return offset ? std::optional(Mapping{*begin, *end, *offset}) : std::nullopt;
}

}  // namespace quartet::system
