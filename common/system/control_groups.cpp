#include "system/control_groups.hpp"

#include "system/system_text.hpp"

namespace quartet::system {

std::vector<ControlGroup> parse_control_groups(std::string_view text, std::string_view controller) {
    std::vector<ControlGroup> groups;
    while (!text.empty()) {
        // number:controllers:path; here the one v2 hierarchy has number 0 and no controllers
        auto line = take_until(text, '\n');
        const auto number = take_until(line, ':');
        auto controllers = take_until(line, ':');
        if (number == "0" && controllers.empty()) {
            groups.push_back({ControlGroupVersion::v2, std::string(line)});
        }
        while (!controllers.empty()) {
            if (take_until(controllers, ',') == controller) {
                groups.push_back({ControlGroupVersion::v1, std::string(line)});
            }
        }
    }
    return groups;
}

std::vector<GroupFolder> group_folders(const std::filesystem::path& root,
                                       std::string_view controller) {
    const auto hierarchies = root / "sys/fs/cgroup";
    const auto text = read_text(root / "proc/self/cgroup").value_or("");
    std::vector<GroupFolder> folders;
    for (const auto& group : parse_control_groups(text, controller)) {
        const bool first = group.version == ControlGroupVersion::v1;
        const auto mount = first ? hierarchies / controller : hierarchies;
        auto relative = std::filesystem::path(group.path).relative_path().lexically_normal();
        while (!relative.empty() && relative != ".") {
            folders.push_back({group.version, mount / relative});
            relative = relative.parent_path();
        }
        folders.push_back({group.version, mount});
    }
    return folders;
}

}  // namespace quartet::system
