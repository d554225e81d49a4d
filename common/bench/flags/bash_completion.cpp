#include <fmt/format.h>
#include <fmt/ranges.h>

#include "bench/flags/manual.hpp"

namespace quartet::bench {

namespace {

// Members of a list are completed one by one, each behind the last comma. Behind launch.sh the
// program that it starts is completed.
constexpr std::string_view completion_head =
    R"(# Completes the flags of {0} in bash; written by `{0} --manual bash`.
_quartet_{0}() {{
    local current=${{COMP_WORDS[COMP_CWORD]}} flag=${{COMP_WORDS[COMP_CWORD - 1]}} before=
    [[ $current == "=" ]] && current=
    [[ $flag == "=" ]] && flag=${{COMP_WORDS[COMP_CWORD - 2]}}
    [[ $current == -* ]] && flag=
    COMPREPLY=()
    case $flag in
)";
constexpr std::string_view completion_tail = R"(    esac
    mapfile -t COMPREPLY < <(compgen -W "{1}" -- "$current")
}}
_quartet_launched() {{
    local word
    for word in "${{COMP_WORDS[@]:1:COMP_CWORD - 1}}"; do
        if declare -F "_quartet_${{word##*/}}" >/dev/null; then
            "_quartet_${{word##*/}}"
            return
        fi
    done
}}
complete -F _quartet_{0} {0}
complete -o default -F _quartet_launched launch.sh
)";

std::string flag_names(const CommandFlag& flag, std::string_view between) {
    return flag.alias.empty() ? flag.name : fmt::format("{}{}{}", flag.name, between, flag.alias);
}

// What may follow the flag: words, files, folders, or a value that only the user knows.
std::string completion_branch(const CommandFlag& flag) {
    std::string text = fmt::format("    {})\n", flag_names(flag, " | "));
    if (flag.is_list()) {
        text += "        [[ $current == *,* ]] && before=${current%,*},\n";
    }
    if (!flag.words.empty()) {
        text += fmt::format(
            "        mapfile -t COMPREPLY < <(compgen -P \"$before\" -W \"{}\" -- "
            "\"${{current##*,}}\")\n",
            fmt::join(flag.words, " "));
    }
    const std::string value = flag.value_text();
    const bool takes_folder = value.ends_with("DIR");
    if (takes_folder || value.find("FILE") != std::string::npos) {
        text += "        compopt -o filenames 2>/dev/null\n";
        text += fmt::format(
            "        mapfile -t -O \"${{#COMPREPLY[@]}}\" COMPREPLY < <(compgen {} "
            "-- \"$current\")\n",
            takes_folder ? "-d" : "-f");
    }
    return text + "        return\n        ;;\n";
}

}  // namespace

std::string bash_completion(const Manual& manual) {
    std::string text = fmt::format(completion_head, manual.program);
    std::vector<std::string> all;
    for (const CommandFlag& flag : manual.flags) {
        all.push_back(flag_names(flag, " "));
        if (!flag.value_text().empty()) {
            text += completion_branch(flag);
        }
    }
    return text + fmt::format(completion_tail, manual.program, fmt::join(all, " "));
}

}  // namespace quartet::bench
