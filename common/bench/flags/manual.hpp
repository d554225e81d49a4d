#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace quartet::bench {

/// Under which heading a flag is explained; in this order.
enum class FlagGroup { work, data, checkpoints, measuring, resources, transfers, output, general };

/// What one flag of a program means. Help, man page and completions are made from these alone.
struct CommandFlag {
    std::string name;  ///< "--size"
    FlagGroup group = FlagGroup::work;
    /// What stands for its value: "N", "FILE", "DIR"; empty where `words` say it, or for no value.
    std::string value{};
    std::string help;
    std::string standard{};            ///< its default as text; empty where the help tells
    std::vector<std::string> words{};  ///< those that may be given
    std::string alias{};               ///< another name for it: "--sizes"

    /// "N", or "on|off"; empty for a flag without a value.
    [[nodiscard]] std::string value_text() const;
    /// Whether its value is a list of its words.
    [[nodiscard]] bool is_list() const { return value.starts_with("LIST"); }
};

/// A command that works as written, and what it is for.
struct Example {
    int ranks = 2;
    std::string arguments;
    std::string purpose;
};

/// All that a program says of its own use.
struct Manual {
    std::string program;
    std::string summary;
    std::vector<CommandFlag> flags;
    std::vector<std::string> foreign{};  ///< flags that only other programs have
    std::vector<Example> examples{};
};

/// The flags of a manual under one heading.
struct FlagSection {
    std::string_view title;
    std::vector<CommandFlag> flags;
};
/// The sections that have flags, in order.
std::vector<FlagSection> sections(const Manual& manual);

/// How numbers and lists are written, in sentences.
std::vector<std::string> notation();

/// What a status that a program ends with means.
struct ExitMeaning {
    int code = 0;
    std::string_view meaning;
};
std::vector<ExitMeaning> exit_meanings();

/// "mpirun -n 2 cg --size 1k"
std::string command(const Manual& manual, const Example& example);

/// What --help prints: lines of at most 80 columns.
std::string help_text(const Manual& manual);

/// A page for man (groff's man macros).
std::string man_page(const Manual& manual, std::string_view version);

/// A script for bash: completes flags, their words, files and folders.
std::string bash_completion(const Manual& manual);

}  // namespace quartet::bench
