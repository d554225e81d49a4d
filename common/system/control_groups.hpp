#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

namespace quartet::system {

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
