#include "bench/program/command_line.hpp"

#include <fmt/format.h>

#include <CLI/CLI.hpp>

#include <algorithm>
#include <charconv>
#include <limits>
#include <memory>

#include "bench/program/version.hpp"
#include "device/registry.hpp"

namespace quartet::bench {

const std::vector<std::pair<std::string, Switch>>& switch_words() {
    static const std::vector<std::pair<std::string, Switch>> words{{"on", Switch::on},
                                                                   {"off", Switch::off}};
    return words;
}

std::vector<std::string> parse_list(std::string_view text) {
    std::vector<std::string> members;
    std::size_t begin = 0;
    while (begin <= text.size()) {
        const std::size_t comma = std::min(text.find(',', begin), text.size());
        if (comma == begin) {
            throw UsageError(
                fmt::format("'{}' has an empty member: separate by single commas", text));
        }
        std::string member(text.substr(begin, comma - begin));
        if (std::ranges::find(members, member) == members.end()) {
            members.push_back(std::move(member));
        }
        begin = comma + 1;
    }
    return members;
}

std::int64_t parse_count(std::string_view text, std::int64_t least, std::int64_t most) {
    const std::int64_t count = quartet::parse_count(text);
    if (count < least || count > most) {
        throw UsageError(fmt::format("{} is out of range: {} to {}", text, least, most));
    }
    return count;
}

namespace {

double parse_percentage(std::string_view text) {
    const bool percent = text.ends_with('%');
    const std::string_view digits = percent ? text.substr(0, text.size() - 1) : text;
    double value = 0;
    const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), value);
    if (error != std::errc{} || end != digits.data() + digits.size() ||
        !(value > 0 && value < 100)) {
        throw UsageError(fmt::format("'{}' is not a percentage between 0% and 100%", text));
    }
    return value / 100;
}

// Errors repeat what was given, control characters too: they must not break the line.
std::string one_line(std::string text) {
    std::ranges::replace_if(
        text, [](char c) { return (c >= 0 && c < ' ') || c == 127; }, '?');
    return text;
}

std::filesystem::path parse_path(const std::string& text) {
    if (text.empty()) {
        throw UsageError("an empty name names no file");
    }
    return text;
}

/// A config file in which a list means what it means on the command line: CLI11 splits "mpi,shm"
/// into two values, of which the last would count.
class ListsKept final : public CLI::ConfigTOML {
  public:
    std::vector<CLI::ConfigItem> from_config(std::istream& input) const override {
        std::vector<CLI::ConfigItem> found = CLI::ConfigTOML::from_config(input);
        for (CLI::ConfigItem& item : found) {
            item.inputs = {CLI::detail::join(item.inputs, ",")};
        }
        return found;
    }
};

}  // namespace

struct CommandLine::Parser {
    Parser(std::string program, std::string description)
        : app(std::move(description), std::move(program)) {
        app.set_version_flag("--version", [] { return std::string(version_line()); });
        app.set_config("--config", "", "file of flags: one 'flag = value' a line (TOML)");
        app.config_formatter(std::make_shared<ListsKept>());
        app.allow_config_extras(false);
        app.get_formatter()->column_width(28);
    }

    CLI::Option* add(const std::string& flag, const std::string& help,
                     std::function<void(const std::string&)> read) {
        return app
            .add_option_function<std::string>(
                flag,
                [flag, read = std::move(read)](const std::string& text) {
                    try {
                        read(text);
                    } catch (const UsageError& error) {
                        throw UsageError(one_line(fmt::format("{}: {}", flag, error.what())));
                    }
                },
                help)
            ->type_name("")
            ->multi_option_policy(CLI::MultiOptionPolicy::TakeLast);
    }

    CLI::App app;
};

CommandLine::CommandLine(std::string program, std::string description)
    : parser_(std::make_unique<Parser>(std::move(program), std::move(description))) {
    add_selection();
    add_measurement();
    add_resources();
    add_output();
}

CommandLine::~CommandLine() = default;

void CommandLine::add(const std::string& flag, const std::string& help, const std::string& shown,
                      std::function<void(const std::string&)> read) {
    parser_->add(flag, help, std::move(read))->default_str(shown);
}

void CommandLine::add_with_optional_value(const std::string& flag, const std::string& help,
                                          const std::string& meant,
                                          std::function<void(const std::string&)> read) {
    const auto read_or_meant = [meant, read = std::move(read)](const std::string& text) {
        read(text.empty() ? meant : text);
    };
    parser_->add(flag, help, read_or_meant)->expected(0, 1);
}

void CommandLine::add(const std::string& flag, const std::string& help, Switch& value) {
    parser_->app.add_flag_callback(
        flag, [&value] { value = Switch::on; }, help);
}

void CommandLine::reserve(const std::string& flag) {
    parser_->app
        .add_option_function<std::string>(
            flag,
            [flag](const std::string&) {
                throw Unavailable(fmt::format("not available in this build: {}", flag));
            },
            "not available in this build")
        ->type_name("")
        ->expected(0, 1);  // some take a value, some do not
}

void CommandLine::add_selection() {
    const auto devices = device::DeviceRegistry::standard();
    add("--device", devices.choices() + ": where it computes", "auto",
        [this, devices](const std::string& text) {
            options_.device = text == "auto" ? text : devices.find(text).name;
        });
    add("--formulation", "native|dataflow|library, or a list", "native",
        [this](const std::string& text) {
            options_.formulations.clear();
            for (const std::string& word : parse_list(text)) {
                options_.formulations.push_back(parse_formulation(word));
            }
        });
    const std::vector<std::string> transports = comm::TransportRegistry::standard().names();
    add("--transport", fmt::format("auto|{}, or a list", fmt::join(transports, "|")), "auto",
        [this](const std::string& text) { options_.transports = parse_list(text); });
    add("--list", "show what can run here, and why the rest cannot", options_.list);
    add("--dry-run", "show what would run, and what it would take", options_.dry_run);
}

void CommandLine::add_measurement() {
    Runs& runs = options_.runs;
    add("--runs", "measured runs, or 'auto': as many as --ci needs", "10",
        [&runs](const std::string& text) {
            runs.count = text == "auto"
                             ? std::nullopt
                             : std::optional(static_cast<int>(parse_count(text, 1, 100000)));
        });
    add("--ci", "with --runs auto: width of the median's 95% interval", "5%",
        [&runs](const std::string& text) { runs.interval = parse_percentage(text); });
    add("--warmup", "runs before the measured ones", "1", [&runs](const std::string& text) {
        runs.warmup = static_cast<int>(parse_count(text, 0, 1000));
    });
    add("--seed", "seed of all data", "1", [this](const std::string& text) {
        options_.seed = static_cast<std::uint64_t>(
            parse_count(text, 0, std::numeric_limits<std::int64_t>::max()));
    });
    add("--verify", "check each result", "on", options_.verify, switch_words());
    add("--limits", "measure limits between the runs", "on", options_.limits, switch_words());
    add("--remeasure",
        "rows that the machine disturbed are measured again at the end, for at most as long as the "
        "measuring took",
        "on", options_.remeasure, switch_words());
}

void CommandLine::add_resources() {
    add("--threads", "threads of a rank (cores of the node / its ranks)", "",
        [this](const std::string& text) {
            options_.threads =
                static_cast<int>(parse_count(text, 1, device::DeviceSettings::most_threads));
        });
    add("--memory", "memory that a rank may take (what is there)", "",
        [this](const std::string& text) { options_.memory = parse_bytes(text); });
    add("--device-memory", "GPU memory that a rank may take (what is free there)", "",
        [this](const std::string& text) { options_.device_memory = parse_bytes(text); });
    add("--gpu-map", "GPU of each rank of a node, as 0,0,1 (in turn)", "",
        [this](const std::string& text) { options_.gpu_map = parse_gpu_map(text); });
    add("--chunk", "piece of a pipelined transfer", "2MiB", [this](const std::string& text) {
        options_.transfer.chunk = parse_bytes(text);
        if (options_.transfer.chunk < kibibytes(1) || options_.transfer.chunk > gibibytes(1)) {
            throw UsageError(fmt::format("{} is out of range: 1 KiB to 1 GiB", text));
        }
    });
    add("--pipeline", "overlap the pieces of a transfer", "on", options_.transfer.pipeline,
        std::vector<std::pair<std::string, comm::Pipeline>>{{"on", comm::Pipeline::on},
                                                            {"off", comm::Pipeline::off}});
}

void CommandLine::add_lookahead() {
    add("--lookahead", "products whose tiles are read ahead", "", [this](const std::string& text) {
        options_.lookahead = static_cast<int>(parse_count(text, 0, 1024));
    });
}

void CommandLine::add_queue() {
    add("--queue", "with dataflow: items that a queue holds", "16",
        [this](const std::string& text) {
            options_.queue = static_cast<int>(parse_count(text, 1, 1 << 16));
        });
}

// Flags of the suite that the program has not made its own.
void CommandLine::reserve_the_rest() {
    for (const char* flag : {"--lookahead", "--reducers", "--queue", "--schedule"}) {
        if (parser_->app.get_option_no_throw(flag) == nullptr) {
            reserve(flag);
        }
    }
}

void CommandLine::add_output() {
    add("--json", "write the results there", "",
        [this](const std::string& text) { options_.json = parse_path(text); });
    add("--force", "overwrite the files of --json and --trace", options_.force);
    add("--trace", "write a timeline there (Chrome trace format)", "",
        [this](const std::string& text) { options_.trace = parse_path(text); });
    add("--progress", "say what is being run, on standard error", "auto", options_.progress,
        std::vector<std::pair<std::string, Progress>>{
            {"auto", Progress::automatic}, {"on", Progress::on}, {"off", Progress::off}});
    add("--quiet", "print no table", options_.quiet);
}

std::optional<std::string> CommandLine::parse(int argc, const char* const* argv) {
    reserve_the_rest();
    try {
        parser_->app.parse(argc, argv);
    } catch (const CLI::CallForHelp&) {
        return parser_->app.help();
    } catch (const CLI::CallForVersion& request) {
        return std::string(request.what()) + "\n";
    } catch (const CLI::ParseError& error) {
        throw UsageError(one_line(fmt::format("{}: see --help", error.what())));
    }
    return std::nullopt;
}

std::vector<std::pair<std::string, std::string>> CommandLine::resolved() const {
    std::vector<std::pair<std::string, std::string>> flags;
    for (const CLI::Option* option : parser_->app.get_options()) {
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
