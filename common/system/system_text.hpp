#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>

namespace quartet::system {

/// All text of a file of proc(5), sysfs(5) or a control group; nothing if it cannot be read.
std::optional<std::string> read_text(const std::filesystem::path& file);

/// The first line of such a file, without its end; empty if it cannot be read.
std::string first_line(const std::filesystem::path& file);

/// Takes the text up to `end` off the front of `text`, and `end` with it; all if there is none.
std::string_view take_until(std::string_view& text, char end);

/// The value in a line "key<separator>value" of `text`, without quotation marks; empty if there is
/// none.
std::string value_of(std::string_view text, std::string_view key, char separator);

/// The number that `text` begins with, after spaces; nothing if it begins with none, or with one
/// that 64 bits do not hold.
std::optional<std::int64_t> parse_number(std::string_view text);

}  // namespace quartet::system
