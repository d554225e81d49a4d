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
    text << in.rdbuf();  // a folder gives nothing
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

namespace {

/// A control group of a process, as a path below its hierarchy's mount.
struct ControlGroup {
    ControlGroupVersion version = ControlGroupVersion::v2;
    std::string path;
};

// The groups of `controller` in the text of /proc/self/cgroup: in its v1 hierarchy and in the v2
// hierarchy, if they exist.
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

}  // namespace

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
