#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "bench/flags/manual.hpp"
#include "bench/flags/size_list.hpp"
#include "bench/session/options.hpp"
#include "core/nearest_word.hpp"

namespace quartet::bench {

/// The command line of one program: the common flags, and those that the program adds. Values are
/// converted and checked while parsing; what cannot be converted is a UsageError in one line.
class CommandLine {
  public:
    CommandLine(std::string program, std::string summary);
    ~CommandLine();

    /// Adds a flag with a value: `read` converts the text, throwing UsageError.
    void add(const CommandFlag& flag, std::function<void(const std::string&)> read);
    /// Adds a flag whose value may be left out: then it is `meant`.
    void add_with_optional_value(const CommandFlag& flag, const std::string& meant,
                                 std::function<void(const std::string&)> read);
    /// Adds a flag without a value.
    void add(const CommandFlag& flag, Switch& value);
    /// Adds a flag that takes one of a few words.
    template <typename Value>
    void add(CommandFlag flag, Value& value,
             const std::vector<std::pair<std::string, Value>>& words);
    /// Adds --lookahead, which only some programs act on.
    void add_lookahead();
    /// Adds --queue, likewise.
    void add_queue();
    /// Adds --reducer-device, likewise.
    void add_reducer_device();
    /// Adds a command to those that --help ends with.
    void add(Example example);

    /// All that the program says of its own use.
    [[nodiscard]] Manual manual() const;
    /// What --manual prints; nothing unless it is all that is given. It needs no MPI.
    [[nodiscard]] std::optional<std::string> manual(int argc, const char* const* argv) const;

    /// Reads the arguments (and --config's file). Returns a text to print instead of running, for
    /// --help and --version. Throws UsageError or Unavailable.
    std::optional<std::string> parse(int argc, const char* const* argv);

    [[nodiscard]] const CommonOptions& options() const { return options_; }
    /// Whether a flag was given, on the command line or in --config's file.
    [[nodiscard]] bool is_given(const std::string& flag) const;
    /// Every flag with the value it has after parsing, for the record.
    [[nodiscard]] std::vector<std::pair<std::string, std::string>> resolved() const;

  private:
    struct Parser;  ///< the library's, which takes long to compile

    void add_selection();
    void add_measurement();
    void add_resources();
    void add_transfers();
    void add_output();
    void add_general();
    void reserve_the_rest();
    void require_effect() const;
    void fit_to_device();
    void reserve(const std::string& flag);

    std::string summary_;
    std::unique_ptr<Parser> parser_;
    CommonOptions options_;
    std::vector<CommandFlag> common_flags_;
    std::vector<CommandFlag> own_flags_;
    std::vector<std::string> foreign_flags_;
    std::vector<Example> examples_;
};

/// "on" and "off".
const std::vector<std::pair<std::string, Switch>>& switch_words();

template <typename Value>
void CommandLine::add(CommandFlag flag, Value& value,
                      const std::vector<std::pair<std::string, Value>>& words) {
    for (const auto& [word, meaning] : words) {
        flag.words.push_back(word);
    }
    const std::vector<std::string> allowed = flag.words;
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
