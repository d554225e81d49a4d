#include "bench/flags/command_line.hpp"

#include <fmt/format.h>

#include <CLI/CLI.hpp>

#include <algorithm>

#include "bench/results/version.hpp"
#include "core/columns.hpp"

namespace quartet::bench {

namespace {

// Error messages quote what the user gave, whose control characters must not break the line.
std::string one_line(std::string text) {
    std::ranges::replace_if(
        text, [](unsigned char c) { return c < ' ' || c == 127; }, '?');
    return text;
}

[[noreturn]] void refuse_unknown(const std::string& given, std::string_view where,
                                 const std::vector<std::string>& names) {
    const std::string suggestion = did_you_mean(given, names);
    throw UsageError(one_line(fmt::format("{}no flag is called {}{}", where, quotation(given),
                                          suggestion.empty() ? ": see --help" : suggestion)));
}

constexpr std::size_t column_of_help = 30;

constexpr std::array<std::string_view, 8> titles{
    "What to run",           "Data",      "Checkpoints", "Measuring",
    "Processors and memory", "Transfers", "Output",      "General"};

constexpr std::array<std::string_view, 3> notation{
    "A number of elements is written 8192, 2^13, 8k or 1e4: k, M, G and T are binary (8k is "
    "8192), e is decimal (1e4 is 10000).",
    "SIZE is in bytes: 4096, 64k or 64KiB, 1.5GiB; here, too, k, M, G and T are binary.",
    "LIST has commas between its members, and each is run in turn; as a size, 1k:8k doubles from "
    "1k to 8k."};
constexpr std::string_view exit_codes =
    "Exit codes: 0 all is well, results verified, 1 a wrong result, 2 bad usage, 3 failed while "
    "running, 75 stopped on request, 77 not available here.";

// The last word of "INI was not able to parse sizes".
std::string key_in(const CLI::ConfigError& error) {
    const std::string message = error.what();
    return message.substr(message.rfind(' ') + 1);
}

std::string title(FlagGroup group) {
    return std::string(titles.at(static_cast<std::size_t>(group)));
}

}  // namespace

CommandLine::CommandLine(const std::string& program, const std::string& summary)
    : app_(std::make_unique<CLI::App>(
          fmt::format("{}: {}\nmpirun -n RANKS {} [flags]; defaults are in brackets", program,
                      summary, program),
          program)) {
    app_->allow_extras();  // require_known() refuses them with a better message
    app_->get_formatter()->column_width(column_of_help);
    add_selection();
    add_measurement();
    add_resources();
    add_output();
    const std::string general = title(FlagGroup::general);
    app_->set_version_flag("--version", std::string(version_line()), "print the version and exit")
        ->group(general);
    app_->get_help_ptr()->description("print this help and exit")->group(general);
    app_->set_config("--config", "", "file of flags: one 'flag = value' a line, lists with commas")
        ->option_text("FILE")
        ->group(general);
    app_->allow_config_extras(CLI::config_extras_mode::error);
    // The file has lists as on the command line, without brackets.
    app_->get_config_formatter_base()->arrayBounds('\x01', '\x01');
}

CommandLine::~CommandLine() = default;

void CommandLine::add(const CommandFlag& flag, ReadFlag read) {
    const auto read_or_name = [name = flag.name, read = std::move(read)](const std::string& text) {
        try {
            read(text);
        } catch (const UsageError& error) {
            throw UsageError(one_line(fmt::format("{}: {}", name, error.what())));
        }
    };
    app_->add_option_function<std::string>(
            flag.alias.empty() ? flag.name : flag.name + "," + flag.alias, read_or_name,
            flag.standard.empty() ? flag.help : fmt::format("{} [{}]", flag.help, flag.standard))
        ->option_text(flag.value)
        ->default_str(flag.standard)
        ->multi_option_policy(CLI::MultiOptionPolicy::TakeLast)
        ->group(title(flag.group));
}

void CommandLine::add(const CommandFlag& flag, Switch& value) {
    app_->add_flag_callback(
            flag.name, [&value] { value = Switch::on; }, flag.help)
        ->group(title(flag.group));
}

// Refuses the flags that other programs of the suite have and this one lacks.
void CommandLine::reserve_the_rest() {
    for (const std::string flag : {"--math", "--reducers", "--queue"}) {
        if (app_->get_option_no_throw(flag) == nullptr) {
            const auto refuse = [flag](const std::string&) {
                throw Unavailable("not available in this build: " + flag);
            };
            app_->add_option_function<std::string>(flag, refuse)
                ->expected(0, 1)  // some take a value, some do not
                ->group("");      // hidden
        }
    }
}

std::vector<std::string> CommandLine::names() const {
    std::vector<std::string> names;
    for (const CLI::Option* option : app_->get_options()) {
        for (const std::string& name : option->get_lnames()) {
            names.push_back("--" + name);
        }
    }
    return names;
}

std::optional<std::string> CommandLine::parse(int argc, const char* const* argv) {
    reserve_the_rest();
    try {
        app_->parse(argc, argv);
    } catch (const CLI::CallForHelp&) {
        return help();
    } catch (const CLI::CallForVersion& request) {
        return std::string(request.what()) + "\n";
    } catch (const CLI::ConfigError& error) {
        refuse_unknown("--" + key_in(error), "--config: ", names());
    } catch (const CLI::FileError& error) {
        throw UsageError(one_line(fmt::format("--config: {}: name another file", error.what())));
    } catch (const CLI::ArgumentMismatch& error) {
        const std::string message = error.what();
        throw UsageError(one_line(fmt::format("{}: its value is missing: see --help",
                                              message.substr(0, message.find(':')))));
    } catch (const CLI::ParseError& error) {
        throw UsageError(one_line(fmt::format("{}: see --help", error.what())));
    }
    require_known(app_->remaining());
    require_effect();
    return std::nullopt;
}

void CommandLine::require_known(const std::vector<std::string>& rest) const {
    if (rest.empty()) {
        return;
    }
    const auto flag = std::ranges::find_if(
        rest, [](const std::string& argument) { return argument.starts_with('-'); });
    if (flag == rest.end()) {
        throw UsageError(
            one_line(fmt::format("unexpected argument {}: see --help", quotation(rest.front()))));
    }
    refuse_unknown(flag->substr(0, flag->find('=')), "", names());
}

bool CommandLine::is_given(const std::string& flag) const {
    const CLI::Option* option = app_->get_option_no_throw(flag);
    return option != nullptr && option->count() > 0;
}

// Refuses flags that would change nothing: their user expects that they do.
void CommandLine::require_effect() const {
    if (is_given("--ci") && options_.runs.count) {
        throw UsageError("--ci: a fixed number of runs has no interval to reach: add --runs auto");
    }
    if (is_given("--queue") && !options_.has(Formulation::dataflow)) {
        throw UsageError("--queue: no formulation here has queues: add --formulation dataflow");
    }
}

std::vector<std::pair<std::string, std::string>> CommandLine::resolved() const {
    std::vector<std::pair<std::string, std::string>> flags;
    for (const CLI::Option* option : app_->get_options()) {
        const std::string name = option->get_name();
        if (name.empty() || name == "--help" || name == "--version") {  // empty: hidden
            continue;
        }
        std::string value = option->get_default_str();
        if (option->count() > 0) {
            value = option->get_expected_max() == 0 ? "on" : option->results().back();
        }
        flags.emplace_back(name, value);
    }
    return flags;
}

std::string CommandLine::help() const {
    std::string footer;
    for (const std::string_view sentence : notation) {
        footer += indented_lines("", sentence, 0);
    }
    footer += indented_lines("", exit_codes, 0);
    footer += examples_.empty() ? "" : "\nExamples\n";
    for (const Example& example : examples_) {
        footer += fmt::format("  mpirun -n {} {} {}\n", example.ranks, app_->get_name(),
                              example.arguments);
        footer += indented_lines("      ", example.purpose, 6);
    }
    app_->footer(footer);
    return within_columns(app_->help(), column_of_help);
}

}  // namespace quartet::bench
