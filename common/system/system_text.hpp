#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace quartet::system {

/// All text of a file of proc(5), sysfs(5) or a control group; nothing if it cannot be read.
std::optional<std::string> read_text(const std::filesystem::path& file);

/// The first line of such a file, without its newline; empty if it cannot be read.
std::string first_line(const std::filesystem::path& file);

/// Removes the front of `text` up to `end` and `end` itself, or all if there is no `end`. Returns
/// what came before `end`.
std::string_view take_until(std::string_view& text, char end);

/// The value in a line "key<separator>value" of `text`, without quotation marks and spaces around
/// the separator; empty if there is none.
std::string value_of(std::string_view text, std::string_view key, char separator);

/// The number that `text` begins with, after spaces; nothing if there is none, or if it does not
/// fit 64 bits.
std::optional<std::int64_t> parse_number(std::string_view text);

/// The two layouts of Linux control groups.
enum class ControlGroupVersion { v1, v2 };

/// The folder of a control group's files.
struct GroupFolder {
    ControlGroupVersion version = ControlGroupVersion::v2;
    std::filesystem::path path;
};

/// The folders of the process's own groups of `controller` ("memory", "cpu") and of all groups
/// above them: a group's limits hold for all groups below it. Files may be missing in some: the
/// topmost group has none, and in a container the path can be the host's, of which only the mount
/// exists. `root` is the folder of proc/ and sys/. Local.
std::vector<GroupFolder> group_folders(const std::filesystem::path& root,
                                       std::string_view controller);

}  // namespace quartet::system
