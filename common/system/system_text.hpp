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

/// Which of the two layouts of Linux control groups.
enum class ControlGroupVersion { v1, v2 };

/// A control group of a process, as a path below its hierarchy's mount.
struct ControlGroup {
    ControlGroupVersion version = ControlGroupVersion::v2;
    std::string path;
    bool operator==(const ControlGroup&) const = default;
};

/// The groups of `controller` ("memory", "cpu") in a text like /proc/self/cgroup: in its v1
/// hierarchy and in the v2 hierarchy, if they exist.
std::vector<ControlGroup> parse_control_groups(std::string_view text, std::string_view controller);

/// The folder of a control group's files.
struct GroupFolder {
    ControlGroupVersion version = ControlGroupVersion::v2;
    std::filesystem::path path;
};

/// The folders of the process's own groups and of all groups above them: a group's limits hold for
/// all groups below it. Files may be missing in some: the topmost group has none, and in a
/// container the path can be the host's, of which only the mount exists. `root` is the folder of
/// proc/ and sys/. Local.
std::vector<GroupFolder> group_folders(const std::filesystem::path& root,
                                       std::string_view controller);

}  // namespace quartet::system
