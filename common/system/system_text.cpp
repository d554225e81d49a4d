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
        if (separator != ' ') {
            line.remove_prefix(std::min(line.find_first_not_of(" \t"), line.size()));
        }
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

// Whether the members of a comma-separated list include `member`.
bool has_member(std::string_view list, std::string_view member) {
    while (!list.empty()) {
        if (take_until(list, ',') == member) {
            return true;
        }
    }
    return false;
}

}  // namespace

std::vector<GroupFolder> group_folders(const std::filesystem::path& root,
                                       std::string_view controller) {
    const auto hierarchies = root / "sys/fs/cgroup";
    const auto text = read_text(root / "proc/self/cgroup").value_or("");
    std::vector<GroupFolder> folders;
    for (std::string_view rest = text; !rest.empty();) {
        // number:controllers:path; here the one v2 hierarchy has number 0 and no controllers
        auto line = take_until(rest, '\n');
        const auto number = take_until(line, ':');
        const auto controllers = take_until(line, ':');
        const bool first = has_member(controllers, controller);
        if (!first && !(number == "0" && controllers.empty())) {
            continue;
        }
        const auto version = first ? ControlGroupVersion::v1 : ControlGroupVersion::v2;
        const auto mount = first ? hierarchies / controller : hierarchies;
        auto relative = std::filesystem::path(line).relative_path().lexically_normal();
        while (!relative.empty() && relative != ".") {
            folders.push_back({version, mount / relative});
            relative = relative.parent_path();
        }
        folders.push_back({version, mount});
    }
    return folders;
}

}  // namespace quartet::system
