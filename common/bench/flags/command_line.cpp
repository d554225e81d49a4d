#include "bench/flags/command_line.hpp"

#include <fmt/format.h>

#include <CLI/CLI.hpp>

#include <algorithm>

#include "bench/flags/config_file.hpp"
#include "bench/results/version.hpp"

namespace quartet::bench {

namespace {

// Errors repeat what was given, control characters too: they must not break the line.
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

// The file that the last --config names; empty without one. CLI11's own option would be read too
// late: flags of the command line override those of the file.
std::optional<std::string> config_of(const std::vector<std::string>& arguments) {
    std::optional<std::string> file;
    for (std::size_t index = 0; index < arguments.size(); ++index) {
        if (arguments[index] == "--config" && index + 1 < arguments.size()) {
            file = arguments[index + 1];
        } else if (arguments[index].starts_with("--config=")) {
            file = arguments[index].substr(arguments[index].find('=') + 1);
        }
    }
    return file;
}

// The lines of the file as arguments.
std::vector<std::string> config_arguments(const std::string& file, const CLI::App& app,
                                          const std::vector<std::string>& names) {
    const std::string where = fmt::format("--config: {}: ", quotation(file));
    std::vector<std::string> arguments;
    for (const ConfigLine& line : read_config(file)) {
        const CLI::Option* option = app.get_option_no_throw("--" + line.flag);
        if (option == nullptr) {
            std::vector<std::string> keys;
            std::ranges::transform(names, std::back_inserter(keys),
                                   [](const std::string& name) { return name.substr(2); });
            refuse_unknown(line.flag, where, keys);
        }
        if (option->get_expected_max() > 0) {
            arguments.push_back(fmt::format("--{}={}", line.flag, line.value));
        } else if (is_on(line)) {
            arguments.push_back("--" + line.flag);
        }
    }
    return arguments;
}

}  // namespace

CommandLine::CommandLine(std::string program, std::string summary)
    : summary_(std::move(summary)), app_(std::make_unique<CLI::App>("", std::move(program))) {
    app_->allow_extras();  // refused by require_known, which says more
    add_selection();
    add_measurement();
    add_resources();
    add_output();
    const std::string general(title(FlagGroup::general));
    app_->set_version_flag("--version", std::string(version_line()), "print the version and exit")
        ->group(general);
    app_->get_help_ptr()->description("print this help and exit")->group(general);
    common_flags_ = app_->get_options().size();
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
            flag.alias.empty() ? flag.name : flag.name + "," + flag.alias, read_or_name, flag.help)
        ->option_text(flag.value)
        ->default_str(flag.standard)
        ->multi_option_policy(CLI::MultiOptionPolicy::TakeLast)
        ->group(std::string(title(flag.group)));
}

void CommandLine::add(const CommandFlag& flag, Switch& value) {
    app_->add_flag_callback(
            flag.name, [&value] { value = Switch::on; }, flag.help)
        ->group(std::string(title(flag.group)));
}

// Flags of the suite that the program has not made its own.
void CommandLine::reserve_the_rest() {
    for (const std::string flag : {"--math", "--reducers", "--queue"}) {
        if (app_->get_option_no_throw(flag) == nullptr) {
            const auto refuse = [flag](const std::string&) {
                throw Unavailable("not available in this build: " + flag);
            };
            app_->add_option_function<std::string>(flag, refuse)
                ->expected(0, 1)  // some take a value, some do not
                ->group(std::string(title(FlagGroup::unavailable)));
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
    std::vector<std::string> arguments(argv + 1, argv + argc);
    try {
        if (const auto file = config_of(arguments)) {
            const auto more = config_arguments(*file, *app_, names());
            arguments.insert(arguments.begin(), more.begin(), more.end());
        }
        std::ranges::reverse(arguments);  // as the parser takes them
        app_->parse(std::move(arguments));
    } catch (const CLI::CallForHelp&) {
        return help();
    } catch (const CLI::CallForVersion& request) {
        return std::string(request.what()) + "\n";
    } catch (const CLI::ArgumentMismatch& error) {
        const std::string message = error.what();
        throw UsageError(one_line(fmt::format("{}: its value is missing: see --help",
                                              message.substr(0, message.find(':')))));
    } catch (const CLI::ParseError& error) {
        throw UsageError(one_line(fmt::format("{}: see --help", error.what())));
    }
    require_known(app_->remaining());
    require_effect();
    if (!is_given("--budget") && !is_given("--runs")) {
        options_.budget = default_budget;
        app_->get_option("--budget")->default_str(fmt::format("{:.0f}", default_budget.value));
    }
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

// A flag that changes nothing was meant to change something.
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
        if (name == "--help" || name == "--version") {
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

}  // namespace quartet::bench
