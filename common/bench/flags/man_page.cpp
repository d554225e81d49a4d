#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cctype>

#include "bench/flags/manual.hpp"

namespace quartet::bench {

namespace {

/// Text as groff prints it unchanged: no escapes, no requests, hyphens that can be pasted.
std::string roff_text(std::string_view text) {
    std::string result;
    for (const char letter : text) {
        if (letter == '\\') {
            result += "\\e";
        } else if (letter == '-') {
            result += "\\-";
        } else if (letter == '^') {
            result += "\\(ha";
        } else if (letter == '\'') {
            result += "\\(aq";
        } else {
            result += letter;
        }
    }
    return result.starts_with('.') ? fmt::format("\\&{}", result) : result;
}

std::string roff_bold(std::string_view text) {
    return fmt::format("\\fB{}\\fR", roff_text(text));
}

std::string capitals(std::string text) {
    std::ranges::transform(text, text.begin(), [](unsigned char letter) {
        return static_cast<char>(std::toupper(letter));
    });
    return text;
}

std::string man_entry(const CommandFlag& flag) {
    std::string names = roff_bold(flag.name);
    if (!flag.alias.empty()) {
        names += fmt::format(", {}", roff_bold(flag.alias));
    }
    const std::string value = flag.value_text();
    if (!value.empty()) {
        names += fmt::format(" \\fI{}\\fR", roff_text(value));
    }
    std::string text = fmt::format(".TP\n{}\n{}.\n", names, roff_text(flag.help));
    if (!flag.standard.empty()) {
        text += fmt::format("Default: {}.\n", roff_text(flag.standard));
    }
    return text;
}

}  // namespace

std::string man_page(const Manual& manual, std::string_view version) {
    std::string text = fmt::format(
        ".TH {} 1 \"\" \"Quartet {}\" \"Quartet\"\n.SH NAME\n{} \\- {}\n", capitals(manual.program),
        roff_text(version), manual.program, roff_text(manual.summary));
    text += fmt::format(".SH SYNOPSIS\n{} {}\n.SH FLAGS\n",
                        roff_bold(fmt::format("mpirun -n RANKS {}", manual.program)), "[flags]");
    for (const FlagSection& section : sections(manual)) {
        text += fmt::format(".SS {}\n", section.title);
        for (const CommandFlag& flag : section.flags) {
            text += man_entry(flag);
        }
    }
    text += ".SH NUMBERS AND LISTS\n";
    for (const std::string& sentence : notation()) {
        text += fmt::format("{}\n.PP\n", roff_text(sentence));
    }
    text += ".SH EXIT STATUS\n";
    for (const ExitMeaning& exit : exit_meanings()) {
        text += fmt::format(".TP\n{}\n{}.\n", exit.code, roff_text(exit.meaning));
    }
    text += ".SH EXAMPLES\n";
    for (const Example& example : manual.examples) {
        text += fmt::format(".TP\n{}\n{}.\n", roff_bold(command(manual, example)),
                            roff_text(example.purpose));
    }
    return text;
}

}  // namespace quartet::bench
