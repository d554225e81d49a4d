#include "bench/flags/command_line.hpp"

#include <fmt/format.h>

#include <CLI/CLI.hpp>

#include <algorithm>
#include <iterator>
#include <memory>
#include <sstream>

#include "bench/flags/config_file.hpp"
#include "bench/results/version.hpp"
#include "device/registry/device_registry.hpp"

namespace quartet::bench {

namespace {

// Errors repeat what was given, control characters too: they must not break the line.
std::string one_line(std::string text) {
    std::ranges::replace_if(
        text, [](char c) { return (c >= 0 && c < ' ') || c == 127; }, '?');
    return text;
}

// Flags, or names in a file, that no option has.
[[noreturn]] void refuse_unknown(const std::string& given, std::string_view where,
                                 const std::vector<std::string>& names) {
    const std::string suggestion = did_you_mean(given, names);
    throw UsageError(one_line(fmt::format("{}no flag is called {}{}", where, quotation(given),
                                          suggestion.empty() ? ": see --help" : suggestion)));
}

/// A config file in which a list means what it means on the command line: CLI11 splits "mpi,shm"
/// into two values, of which the last would count.
class FlagFile final : public CLI::ConfigTOML {
  public:
    explicit FlagFile(const CLI::App& app) : app_(app) {}

    // The parser has opened the file, but not read from it: config_text() reads with bounds.
    std::vector<CLI::ConfigItem> from_config(std::istream& /*unbounded*/) const override {
        std::istringstream text(config_text(file()));
        std::vector<CLI::ConfigItem> found = CLI::ConfigTOML::from_config(text);
        for (CLI::ConfigItem& item : found) {
            require_known(item);
            item.inputs = {CLI::detail::join(item.inputs, ",")};
        }
        return found;
    }

  private:
    [[nodiscard]] std::string file() const { return app_.get_config_ptr()->results().back(); }

    void require_known(const CLI::ConfigItem& item) const {
        const std::string where = fmt::format("--config: {}: ", quotation(file()));
        if (!item.parents.empty()) {
            throw UsageError(fmt::format("{}{} has a point (no flag has any): leave it out", where,
                                         quotation(item.fullname())));
        }
        std::vector<std::string> names;
        for (const CLI::Option* option : app_.get_options()) {
            std::ranges::copy(option->get_lnames(), std::back_inserter(names));
        }
        if (std::ranges::find(names, item.name) == names.end()) {
            refuse_unknown(item.name, where, names);
        }
        const CLI::Option* option = app_.get_option_no_throw("--" + item.name);
        if (option != nullptr && option->get_expected_max() == 0) {
            require_switch_word(where + item.name, CLI::detail::join(item.inputs, ","));
        }
    }

    const CLI::App& app_;
};

}  // namespace

struct CommandLine::Parser {
    explicit Parser(std::string program) : app("", std::move(program)) {
        app.set_version_flag("--version", [] { return std::string(version_line()); });
        app.set_config("--config")->check([](const std::string& file) {
            static_cast<void>(config_text(file));  // before the parser opens a pipe, and waits
            return std::string();
        });
        app.config_formatter(std::make_shared<FlagFile>(app));
        app.allow_extras();  // refused by require_no_rest, which says more
    }

    CLI::Option* add(const CommandFlag& flag, std::function<void(const std::string&)> read) {
        return app
            .add_option_function<std::string>(
                flag.alias.empty() ? flag.name : flag.name + "," + flag.alias,
                [name = flag.name, read = std::move(read)](const std::string& text) {
                    try {
                        read(text);
                    } catch (const UsageError& error) {
                        throw UsageError(one_line(fmt::format("{}: {}", name, error.what())));
                    }
                })
            ->default_str(flag.standard)
            ->multi_option_policy(CLI::MultiOptionPolicy::TakeLast);
    }

    // Throws UsageError for the first argument that is no flag and no flag's value.
    void require_no_rest() const {
        const std::vector<std::string> rest = app.remaining();
        if (rest.empty()) {
            return;
        }
        const auto flag = std::ranges::find_if(
            rest, [](const std::string& argument) { return argument.starts_with('-'); });
        if (flag == rest.end()) {
            throw UsageError(one_line(fmt::format("{} follows no flag that takes it: see --help",
                                                  quotation(rest.front()))));
        }
        std::vector<std::string> names;
        for (const CLI::Option* option : app.get_options()) {
            for (const std::string& name : option->get_lnames()) {
                names.push_back("--" + name);
            }
        }
        refuse_unknown(flag->substr(0, flag->find('=')), "", names);
    }

    CLI::App app;
};

CommandLine::CommandLine(std::string program, std::string summary)
    : summary_(std::move(summary)), parser_(std::make_unique<Parser>(std::move(program))) {
    add_selection();
    add_measurement();
    add_resources();
    add_transfers();
    add_output();
    add_general();
    common_flags_.swap(own_flags_);
}

CommandLine::~CommandLine() = default;

void CommandLine::add(const CommandFlag& flag, std::function<void(const std::string&)> read) {
    parser_->add(flag, std::move(read));
    own_flags_.push_back(flag);
}

void CommandLine::add_with_optional_value(const CommandFlag& flag, const std::string& meant,
                                          std::function<void(const std::string&)> read) {
    const auto read_or_meant = [meant, read = std::move(read)](const std::string& text) {
        read(text.empty() ? meant : text);
    };
    parser_->add(flag, read_or_meant)->expected(0, 1);
    own_flags_.push_back(flag);
}

void CommandLine::add(const CommandFlag& flag, Switch& value) {
    parser_->app.add_flag_callback(flag.name, [&value] { value = Switch::on; });
    own_flags_.push_back(flag);
}

void CommandLine::add(Example example) {
    examples_.push_back(std::move(example));
}

void CommandLine::reserve(const std::string& flag) {
    parser_->app
        .add_option_function<std::string>(
            flag,
            [flag](const std::string&) {
                throw Unavailable(fmt::format("not available in this build: {}", flag));
            })
        ->expected(0, 1);  // some take a value, some do not
    foreign_flags_.push_back(flag);
}

Manual CommandLine::manual() const {
    Manual manual{.program = parser_->app.get_name(), .summary = summary_, .flags = own_flags_};
    std::ranges::copy(common_flags_, std::back_inserter(manual.flags));
    manual.foreign = foreign_flags_;
    manual.examples = examples_;
    return manual;
}

std::optional<std::string> CommandLine::manual(int argc, const char* const* argv) const {
    if (argc != 3 || std::string_view(argv[1]) != "--manual") {
        return std::nullopt;
    }
    const std::string_view wanted = argv[2];
    if (wanted == "man") {
        return man_page(manual(), version());
    }
    return wanted == "bash" ? std::optional(bash_completion(manual())) : std::nullopt;
}

// Flags of the suite that the program has not made its own.
void CommandLine::reserve_the_rest() {
    for (const char* flag :
         {"--lookahead", "--reducers", "--queue", "--schedule", "--reducer-device"}) {
        if (parser_->app.get_option_no_throw(flag) == nullptr) {
            reserve(flag);
        }
    }
}

std::optional<std::string> CommandLine::parse(int argc, const char* const* argv) {
    reserve_the_rest();
    try {
        parser_->app.parse(argc, argv);
    } catch (const CLI::CallForHelp&) {
        return help_text(manual());
    } catch (const CLI::CallForVersion& request) {
        return std::string(request.what()) + "\n";
    } catch (const CLI::ArgumentMismatch& error) {
        const std::string message = error.what();
        throw UsageError(one_line(fmt::format("{}: its value is missing: see --help",
                                              message.substr(0, message.find(':')))));
    } catch (const CLI::ParseError& error) {
        throw UsageError(one_line(fmt::format("{}: see --help", error.what())));
    }
    parser_->require_no_rest();
    require_effect();
    fit_to_device();
    if (const CLI::Option* config = parser_->app.get_config_ptr(); config->count() > 0) {
        options_.config = config->results().back();
    }
    return std::nullopt;
}

bool CommandLine::is_given(const std::string& flag) const {
    const CLI::Option* option = parser_->app.get_option_no_throw(flag);
    return option != nullptr && option->count() > 0;
}

// A flag that changes nothing was meant to change something.
void CommandLine::require_effect() const {
    if (is_given("--ci") && options_.runs.count) {
        throw UsageError("--ci: a fixed number of runs has no interval to reach: add --runs auto");
    }
    for (const char* flag : {"--queue", "--schedule", "--reducer-device"}) {
        if (is_given(flag) && !options_.has(Formulation::dataflow)) {
            throw UsageError(fmt::format(
                "{}: no formulation here has queues: add --formulation dataflow", flag));
        }
    }
}

// Nothing that a model leaves can be checked, nor has it limits that could be probed.
void CommandLine::fit_to_device() {
    const auto devices = device::DeviceRegistry::standard();
    const bool computes = options_.device == "auto" ||
                          devices.find(options_.device).results == device::Results::computed;
    if (computes) {
        if (is_given("--machine")) {
            throw UsageError("--machine: the device is no model of one: add --device model");
        }
        return;
    }
    if (!options_.machine) {
        throw UsageError(fmt::format("--device {}: no machine is described: add --machine FILE",
                                     options_.device));
    }
    for (const auto& [flag, value] :
         {std::pair("--verify", &options_.verify), std::pair("--limits", &options_.limits),
          std::pair("--remeasure", &options_.remeasure)}) {
        if (is_given(flag) && *value == Switch::on) {
            throw UsageError(
                fmt::format("{} on: device {} computes nothing (there is nothing to "
                            "check or to probe): leave it out",
                            flag, options_.device));
        }
        *value = Switch::off;
    }
    if (options_.has(Formulation::library)) {
        throw UsageError(fmt::format(
            "--formulation library: libraries compute on the host itself, not on device {}: ask "
            "for native or dataflow",
            options_.device));
    }
}

std::vector<std::pair<std::string, std::string>> CommandLine::resolved() const {
    std::vector<std::pair<std::string, std::string>> flags;
    for (const CLI::Option* option : parser_->app.get_options()) {
        const std::string name = option->get_name();
        if (name == "--help" || name == "--version" || name == "--manual") {
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
