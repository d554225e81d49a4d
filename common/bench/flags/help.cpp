#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "bench/flags/manual.hpp"

namespace quartet::bench {

namespace {

constexpr std::size_t help_columns = 80;
constexpr std::size_t column_of_help = 28;

/// Lines of words, indented and at most 80 columns long. The first line goes on behind `begun`;
/// words that are longer than a line stay whole.
std::string indented_lines(std::string begun, std::string_view text, std::size_t indent) {
    std::string lines;
    std::string line = std::move(begun);
    bool is_empty = true;
    while (!text.empty()) {
        const std::size_t end = std::min(text.find(' '), text.size());
        const std::string_view word = text.substr(0, end);
        text.remove_prefix(std::min(end + 1, text.size()));
        if (!is_empty && line.size() + 1 + word.size() > help_columns) {
            lines += fmt::format("{}\n", line);
            line = std::string(indent, ' ');
            is_empty = true;
        }
        line += is_empty ? "" : " ";
        line += word;
        is_empty = false;
    }
    return fmt::format("{}{}\n", lines, line);
}

std::string help_entry(const CommandFlag& flag) {
    std::string names = fmt::format("  {}{}{} {}", flag.name, flag.alias.empty() ? "" : ", ",
                                    flag.alias, flag.value_text());
    if (names.ends_with(' ')) {
        names.pop_back();
    }
    const std::string text =
        flag.standard.empty() ? flag.help : fmt::format("{} [{}]", flag.help, flag.standard);
    if (names.size() + 2 > column_of_help) {
        return names + "\n" +
               indented_lines(std::string(column_of_help, ' '), text, column_of_help);
    }
    names.resize(column_of_help, ' ');
    return indented_lines(std::move(names), text, column_of_help);
}

std::string exit_line() {
    std::vector<std::string> codes;
    for (const ExitMeaning& exit : exit_meanings()) {
        codes.push_back(fmt::format("{} {}", exit.code, exit.meaning));
    }
    return indented_lines("Exit codes: ", fmt::format("{}.", fmt::join(codes, ", ")), 0);
}

}  // namespace

std::string help_text(const Manual& manual) {
    std::string text =
        fmt::format("{}: {}\nusage: mpirun -n RANKS {} [flags]; defaults are in brackets\n",
                    manual.program, manual.summary, manual.program);
    for (const FlagSection& section : sections(manual)) {
        text += fmt::format("\n{}\n", section.title);
        for (const CommandFlag& flag : section.flags) {
            text += help_entry(flag);
        }
    }
    if (!manual.foreign.empty()) {
        text += '\n';
        text += indented_lines(
            "Not available in this build: ", fmt::format("{}", fmt::join(manual.foreign, ", ")), 0);
    }
    text += '\n';
    for (const std::string& sentence : notation()) {
        text += indented_lines("", sentence, 0);
    }
    text += exit_line();
    if (!manual.examples.empty()) {
        text += "\nExamples\n";
    }
    for (const Example& example : manual.examples) {
        text += fmt::format("  {}\n", command(manual, example));
        text += indented_lines("      ", example.purpose, 6);
    }
    return text;
}

}  // namespace quartet::bench
