#include <fmt/format.h>
#include <fmt/ranges.h>

#include <CLI/CLI.hpp>

#include <algorithm>
#include <array>
#include <span>

#include "bench/flags/command_line.hpp"
#include "core/columns.hpp"

namespace quartet::bench {

namespace {

constexpr std::size_t column_of_help = 28;
constexpr std::array<std::string_view, 9> titles{"What to run",
                                                 "Data",
                                                 "Checkpoints",
                                                 "Measuring",
                                                 "Processors and memory",
                                                 "Transfers",
                                                 "Output",
                                                 "General",
                                                 "Not available in this build"};

constexpr std::array<std::string_view, 3> notation{
    "A number of elements is written 8192, 2^13, 8k or 1e4: k, M, G and T are binary (8k is "
    "8192), e is decimal (1e4 is 10000).",
    "SIZE is in bytes: 4096, 64k or 64KiB, 1.5GiB; here, too, k, M, G and T are binary.",
    "LIST has commas between its members, and each is run in turn; as a size, 1k:8k doubles from "
    "1k to 8k."};
constexpr std::string_view exit_codes =
    "Exit codes: 0 all is well, results verified, 1 a wrong result, 2 bad usage, 3 failed while "
    "running, 75 stopped on request, 77 not available here.";

std::string entry(const CLI::Option& option) {
    std::string names =
        fmt::format("  --{} {}", fmt::join(option.get_lnames(), ", --"), option.get_option_text());
    if (names.ends_with(' ')) {
        names.pop_back();
    }
    std::string text = option.get_description();
    if (const std::string standard = option.get_default_str(); !standard.empty()) {
        text += fmt::format(" [{}]", standard);
    }
    if (names.size() + 2 > column_of_help) {
        return names + "\n" +
               indented_lines(std::string(column_of_help, ' '), text, column_of_help);
    }
    names.resize(column_of_help, ' ');
    return indented_lines(std::move(names), text, column_of_help);
}

}  // namespace

std::string_view title(FlagGroup group) {
    return titles.at(static_cast<std::size_t>(group));
}

std::string CommandLine::help() const {
    const std::string program = app_->get_name();
    std::string text =
        fmt::format("{}: {}\nusage: mpirun -n RANKS {} [flags]; defaults are in brackets\n",
                    program, summary_, program);
    auto options = static_cast<const CLI::App&>(*app_).get_options();
    std::ranges::rotate(options, options.begin() + static_cast<std::ptrdiff_t>(common_flags_));
    for (const std::string_view title : std::span(titles).first(titles.size() - 1)) {
        std::string section;
        for (const CLI::Option* option : options) {
            section += option->get_group() == title ? entry(*option) : "";
        }
        text += section.empty() ? "" : fmt::format("\n{}\n{}", title, section);
    }
    std::vector<std::string> unavailable;
    for (const CLI::Option* option : options) {
        if (option->get_group() == titles.back()) {
            unavailable.push_back(option->get_name());
        }
    }
    if (!unavailable.empty()) {
        text += "\n" + indented_lines(fmt::format("{}: ", titles.back()),
                                      fmt::format("{}", fmt::join(unavailable, ", ")), 0);
    }
    text += '\n';
    for (const std::string_view sentence : notation) {
        text += indented_lines("", sentence, 0);
    }
    text += indented_lines("", exit_codes, 0);
    text += examples_.empty() ? "" : "\nExamples\n";
    for (const Example& example : examples_) {
        text += fmt::format("  mpirun -n {} {} {}\n", example.ranks, program, example.arguments);
        text += indented_lines("      ", example.purpose, 6);
    }
    return text;
}

}  // namespace quartet::bench
