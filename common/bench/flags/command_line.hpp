#pragma once

#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "bench/flags/size_list.hpp"
#include "bench/session/options.hpp"
#include "core/nearest_word.hpp"

namespace CLI {
class App;  // takes long to compile
}

namespace quartet::bench {

/// Under which heading --help explains a flag; in this order.
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
/// The heading: "What to run".
std::string_view title(FlagGroup group);

/// The description of a flag in --help.
struct CommandFlag {
    std::string name;  ///< "--size"
    FlagGroup group = FlagGroup::work;
    std::string value{};  ///< what stands for its value: "N", "FILE", "on|off"; empty: it has none
    std::string help;
    std::string standard{};  ///< its default as text; empty if the help tells
    std::string alias{};     ///< another name for it: "--sizes"
};

/// A command that works as written, and what it is for.
struct Example {
    int ranks = 2;
    std::string arguments;
    std::string purpose;
};

/// Converts the text of a flag's value. Throws UsageError.
using ReadFlag = std::function<void(const std::string&)>;

/// Reads a value into `target`, which outlives the command line.
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
    /// A flag that only some programs act on.
    void add_queue();
    /// Adds a command to those that --help ends with.
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

/// "on" and "off".
const std::vector<std::pair<std::string, Switch>>& switch_words();

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
