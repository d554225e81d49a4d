#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "bench/session/options.hpp"
#include "core/nearest_word.hpp"

namespace CLI {
class App;  // its header takes long to compile
}

namespace quartet::bench {

class Session;

/// The headings of --help that group flags, in the order of the text.
enum class FlagGroup {
    work,
    data,
    checkpoints,
    measuring,
    resources,
    transfers,
    output,
    general,
};

/// The description of a flag in --help.
struct CommandFlag {
    std::string name;  ///< "--size"
    FlagGroup group = FlagGroup::work;
    std::string value{};  ///< placeholder of its value: "N", "FILE", "on|off"; empty: no value
    std::string help;
    std::string standard{};  ///< its default as text; empty if `help` states it
    std::string alias{};     ///< another name for it: "--sizes"
};

/// A command that works as written, and its purpose.
struct Example {
    int ranks = 2;
    std::string arguments;
    std::string purpose;
};

/// Converts the text of a flag's value. Throws UsageError.
using ReadFlag = std::function<void(const std::string&)>;

/// Reads a value into `target`, which must outlive the command line.
template <typename Target, typename Parse>
ReadFlag into(Target& target, const Parse& parse) {
    return [&target, parse](const std::string& text) { target = parse(text); };
}

/// The command line of one program: the common flags, and those that the program adds. Values are
/// converted and checked while parsing; a value that cannot be converted is a UsageError in one
/// line.
class CommandLine {
  public:
    CommandLine(const std::string& program, const std::string& summary);
    ~CommandLine();

    void add(const CommandFlag& flag, ReadFlag read);
    /// Adds a flag without a value.
    void add(const CommandFlag& flag, Switch& value);
    /// Adds a flag that takes one of a few words.
    template <typename Value>
    void add(CommandFlag flag, Value& value,
             const std::vector<std::pair<std::string, Value>>& words);
    /// Adds --queue, which only programs with a dataflow formulation have.
    void add_queue();
    /// Adds a command to the examples at the end of --help.
    void add(Example example) { examples_.push_back(std::move(example)); }

    /// Reads the arguments (and --config's file). Returns a text to print instead of running, for
    /// --help and --version. Throws UsageError or Unavailable.
    std::optional<std::string> parse(int argc, const char* const* argv);

    [[nodiscard]] const CommonOptions& options() const { return options_; }
    /// Whether a flag was given, on the command line or in --config's file.
    [[nodiscard]] bool is_given(const std::string& flag) const;
    /// Every flag with the value it has after parsing, for the record.
    [[nodiscard]] std::vector<std::pair<std::string, std::string>> resolved() const;

  private:
    void add_selection();
    void add_measurement();
    void add_resources();
    void add_output();
    void reserve_the_rest();
    void require_known(const std::vector<std::string>& rest) const;
    void require_effect() const;
    [[nodiscard]] std::vector<std::string> names() const;
    [[nodiscard]] std::string help() const;

    std::unique_ptr<CLI::App> app_;
    CommonOptions options_;
    std::vector<Example> examples_;
};

/// Throws UsageError for an empty name.
std::filesystem::path parse_path(const std::string& text);

/// Splits at commas and drops repeated members. Throws UsageError for an empty member, and for more
/// than 1000 members.
std::vector<std::string> parse_list(std::string_view text);

/// Sizes in the order given, each once. A member is a size or a range: "1k:8k" doubles from 1k to
/// 8k at most. `read` converts one size and returns at least 1. Throws UsageError.
std::vector<std::int64_t> parse_sizes(std::string_view text,
                                      const std::function<std::int64_t(std::string_view)>& read);

/// Likewise for numbers of elements from 1 to `most`: "8192", "2^13", "8k", "1e4".
std::vector<std::int64_t> parse_sizes(std::string_view text, std::int64_t most);

/// A whole number from `least` to `most`. Throws UsageError that names the bounds.
std::int64_t parse_count(std::string_view text, std::int64_t least, std::int64_t most);

/// A number of elements from 1 to `most`: "8192", "2^13". Throws UsageError that names the bounds.
std::int64_t parse_size(std::string_view text, std::int64_t most);

/// "0,0,1": for each rank of a node the number of its GPU. Throws UsageError.
GpuMap parse_gpu_map(std::string_view text);

/// "1024,2048"
std::string join_sizes(const std::vector<std::int64_t>& sizes);

/// Returns the value of --filter. Throws UsageError unless it is a regular expression (ECMAScript)
/// of 1 to 200 characters.
std::string parse_filter(const std::string& pattern);

/// Removes the cases from the session's plan that have no row whose name matches --filter. Throws
/// UsageError that lists the rows' names if no case is left. Does nothing without that flag. Local;
/// the same on all ranks.
void apply_filter(Session& session);

template <typename Value>
void CommandLine::add(CommandFlag flag, Value& value,
                      const std::vector<std::pair<std::string, Value>>& words) {
    std::vector<std::string> allowed;
    for (const auto& [word, meaning] : words) {
        allowed.push_back(word);
        flag.value += (flag.value.empty() ? "" : "|") + word;
    }
    add(flag, [&value, words, allowed](const std::string& text) {
        for (const auto& [word, meaning] : words) {
            if (word == text) {
                value = meaning;
                return;
            }
        }
        throw UsageError(not_one_of(text, allowed));
    });
}

}  // namespace quartet::bench
