#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "bench/program/options.hpp"

namespace quartet::bench {

/// The command line of one program: the common flags, and those that the program adds. Values are
/// converted and checked while parsing; what cannot be converted is a UsageError in one line.
class CommandLine {
  public:
    CommandLine(std::string program, std::string description);
    ~CommandLine();

    /// Adds a flag with a value: `read` converts the text, throwing UsageError; `shown` is the
    /// default as --help prints it.
    void add(const std::string& flag, const std::string& help, const std::string& shown,
             std::function<void(const std::string&)> read);
    /// Adds a flag whose value may be left out: then it is `meant`.
    void add_with_optional_value(const std::string& flag, const std::string& help,
                                 const std::string& meant,
                                 std::function<void(const std::string&)> read);
    /// Adds a flag without a value.
    void add(const std::string& flag, const std::string& help, Switch& value);
    /// Adds a flag that takes one of a few words.
    template <typename Value>
    void add(const std::string& flag, const std::string& help, const std::string& shown,
             Value& value, const std::vector<std::pair<std::string, Value>>& words);
    /// Adds a flag of the suite that this build does not act on: giving it throws Unavailable.
    void reserve(const std::string& flag);
    /// Adds --lookahead, which only some programs act on.
    void add_lookahead();
    /// Adds --queue, likewise.
    void add_queue();

    /// Reads the arguments (and --config's file). Returns a text to print instead of running, for
    /// --help and --version. Throws UsageError or Unavailable.
    std::optional<std::string> parse(int argc, const char* const* argv);

    [[nodiscard]] const CommonOptions& options() const { return options_; }
    /// Every flag with the value it has after parsing, for the record.
    [[nodiscard]] std::vector<std::pair<std::string, std::string>> resolved() const;

  private:
    struct Parser;  ///< the library's, which takes long to compile

    void add_selection();
    void add_measurement();
    void add_resources();
    void add_output();
    void reserve_the_rest();

    std::unique_ptr<Parser> parser_;
    CommonOptions options_;
};

/// "on" and "off".
const std::vector<std::pair<std::string, Switch>>& switch_words();

/// Splits at commas; throws UsageError for an empty member.
std::vector<std::string> parse_list(std::string_view text);

/// parse_count within bounds. Throws UsageError that names them.
std::int64_t parse_count(std::string_view text, std::int64_t least, std::int64_t most);

template <typename Value>
void CommandLine::add(const std::string& flag, const std::string& help, const std::string& shown,
                      Value& value, const std::vector<std::pair<std::string, Value>>& words) {
    std::string allowed;
    for (const auto& [word, meaning] : words) {
        allowed += (allowed.empty() ? "" : "|") + word;
    }
    add(flag, allowed + ": " + help, shown, [&value, words, allowed](const std::string& text) {
        for (const auto& [word, meaning] : words) {
            if (word == text) {
                value = meaning;
                return;
            }
        }
        throw UsageError("'" + text + "' is not one of " + allowed);
    });
}

}  // namespace quartet::bench
