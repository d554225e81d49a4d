#include <fmt/format.h>
#include <fmt/ranges.h>

#include <charconv>
#include <limits>

#include "bench/flags/command_line.hpp"
#include "bench/flags/filter.hpp"
#include "device/registry/device_registry.hpp"

// The flags that all programs have.
namespace quartet::bench {

const std::vector<std::pair<std::string, Switch>>& switch_words() {
    static const std::vector<std::pair<std::string, Switch>> words{{"on", Switch::on},
                                                                   {"off", Switch::off}};
    return words;
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

std::filesystem::path parse_path(const std::string& text) {
    if (text.empty()) {
        throw UsageError("an empty name names no file");
    }
    return text;
}

}  // namespace

void CommandLine::add_selection() {
    const auto group = FlagGroup::work;
    const std::vector<std::string> formulations = formulation_names();
    add({.name = "--formulation",
         .group = group,
         .value = "LIST",
         .help = fmt::format("formulations, of {}", fmt::join(formulations, ", ")),
         .standard = "native",
         .words = formulations},
        [this](const std::string& text) {
            options_.formulations.clear();
            for (const std::string& word : parse_list(text)) {
                options_.formulations.push_back(parse_formulation(word));
            }
        });
    std::vector<std::string> transports = comm::TransportRegistry::standard().names();
    transports.insert(transports.begin(), "auto");
    add({.name = "--transport",
         .group = group,
         .value = "LIST",
         .help = fmt::format("ways to move data, of {}", fmt::join(transports, ", ")),
         .standard = "auto",
         .words = transports},
        [this](const std::string& text) { options_.transports = parse_list(text); });
    const auto devices = device::DeviceRegistry::standard();
    add({.name = "--device",
         .group = group,
         .help = "what computes; auto: a GPU where there is one",
         .standard = "auto",
         .words = devices.choices()},
        [this, devices](const std::string& text) {
            options_.device = text == "auto" ? text : devices.find(text).name;
        });
    add({.name = "--machine",
         .group = group,
         .value = "FILE",
         .help = "with --device model: the machine, whose rates say how long operations take"},
        [this](const std::string& text) {
            options_.machine_file = parse_path(text);
            options_.machine = device::read_machine_rates(*options_.machine_file);
        });
    add({.name = "--filter",
         .group = group,
         .value = "REGEX",
         .help = "only cases with a row whose name matches (ECMAScript)"},
        [this](const std::string& text) { options_.filter = parse_filter(text); });
    add({.name = "--list",
         .group = group,
         .help = "show what can run here, and why the rest cannot"},
        options_.list);
    add({.name = "--dry-run",
         .group = group,
         .help = "show the cases, their memory and the estimated time"},
        options_.dry_run);
}

void CommandLine::add_measurement() {
    const auto group = FlagGroup::measuring;
    Runs& runs = options_.runs;
    add({.name = "--runs",
         .group = group,
         .value = "N|auto",
         .help = "measured runs of a case; auto: as many as --ci needs",
         .standard = "10",
         .words = {"auto"}},
        [&runs](const std::string& text) {
            runs.count = text == "auto"
                             ? std::nullopt
                             : std::optional(static_cast<int>(parse_count(text, 1, 100000)));
        });
    add({.name = "--ci",
         .group = group,
         .value = "PERCENT",
         .help = "with --runs auto: width of the median's 95% interval",
         .standard = "5%"},
        [&runs](const std::string& text) { runs.interval = parse_percentage(text); });
    add({.name = "--warmup",
         .group = group,
         .value = "N",
         .help = "runs before the measured ones; unless 0 one more before each that is shorter "
                 "than 0.05 s, after its limit was probed",
         .standard = "1"},
        [&runs](const std::string& text) {
            runs.warmup = static_cast<int>(parse_count(text, 0, 1000));
        });
    add({.name = "--remeasure",
         .group = group,
         .help = "rows that the machine disturbed are measured again at the end, for at most as "
                 "long as the measuring took",
         .standard = "on"},
        options_.remeasure, switch_words());
    add({.name = "--limits",
         .group = group,
         .help = "measure the machine's limits between the runs",
         .standard = "on"},
        options_.limits, switch_words());
    add({.name = "--verify", .group = group, .help = "check each result", .standard = "on"},
        options_.verify, switch_words());
    add({.name = "--seed",
         .group = FlagGroup::data,
         .value = "N",
         .help = "seed of all data",
         .standard = "1"},
        [this](const std::string& text) {
            options_.seed = static_cast<std::uint64_t>(
                parse_count(text, 0, std::numeric_limits<std::int64_t>::max()));
        });
}

void CommandLine::add_resources() {
    const auto group = FlagGroup::resources;
    add({.name = "--threads",
         .group = group,
         .value = "N",
         .help = "threads of a rank [cores of the node / its ranks]"},
        [this](const std::string& text) {
            options_.threads =
                static_cast<int>(parse_count(text, 1, device::DeviceSettings::most_threads));
        });
    add({.name = "--memory",
         .group = group,
         .value = "SIZE",
         .help = "memory that a rank may take [what is there]"},
        [this](const std::string& text) { options_.memory = parse_bytes(text); });
    add({.name = "--device-memory",
         .group = group,
         .value = "SIZE",
         .help = "GPU memory that a rank may take [what is free there]"},
        [this](const std::string& text) { options_.device_memory = parse_bytes(text); });
    add({.name = "--gpu-map",
         .group = group,
         .value = "NUMBERS",
         .help = "GPU of each rank of a node, as 0,0,1 [the nearest]"},
        [this](const std::string& text) { options_.gpu_map = parse_gpu_map(text); });
}

void CommandLine::add_transfers() {
    const auto group = FlagGroup::transfers;
    add({.name = "--chunk",
         .group = group,
         .value = "SIZE",
         .help = "piece of a pipelined transfer, 1 KiB to 1 GiB",
         .standard = "2MiB"},
        [this](const std::string& text) {
            options_.transfer.chunk = parse_bytes(text);
            if (options_.transfer.chunk < kibibytes(1) || options_.transfer.chunk > gibibytes(1)) {
                throw UsageError(
                    fmt::format("{} is out of range: 1 KiB to 1 GiB", quotation(text)));
            }
        });
    add({.name = "--pipeline",
         .group = group,
         .help = "overlap the pieces of a transfer",
         .standard = "on"},
        options_.transfer.pipeline,
        std::vector<std::pair<std::string, comm::Pipeline>>{{"on", comm::Pipeline::on},
                                                            {"off", comm::Pipeline::off}});
}

void CommandLine::add_lookahead() {
    add({.name = "--lookahead",
         .group = FlagGroup::transfers,
         .value = "N",
         .help = "products whose tiles are read ahead"},
        [this](const std::string& text) {
            options_.lookahead = static_cast<int>(parse_count(text, 0, 1024));
        });
}

void CommandLine::add_queue() {
    add({.name = "--queue",
         .group = FlagGroup::transfers,
         .value = "N",
         .help = "with dataflow: items that a queue holds",
         .standard = "16"},
        [this](const std::string& text) {
            options_.queue = static_cast<int>(parse_count(text, 1, 1 << 16));
        });
}

void CommandLine::add_reducer_device() {
    const auto devices = device::DeviceRegistry::standard();
    std::vector<std::pair<std::string, std::string>> words;
    for (const device::DeviceKind& kind : devices.kinds()) {
        words.emplace_back(kind.name, kind.name);
    }
    add({.name = "--reducer-device",
         .group = FlagGroup::work,
         .help = "with dataflow on a GPU: what the sums are made on",
         .standard = "host"},
        options_.reducer_device, words);
}

void CommandLine::add_output() {
    const auto group = FlagGroup::output;
    add({.name = "--json", .group = group, .value = "FILE", .help = "write the results there"},
        [this](const std::string& text) { options_.json = parse_path(text); });
    add({.name = "--trace",
         .group = group,
         .value = "FILE",
         .help = "write a timeline there (Chrome trace format)"},
        [this](const std::string& text) { options_.trace = parse_path(text); });
    add({.name = "--force", .group = group, .help = "overwrite the files of --json and --trace"},
        options_.force);
    add({.name = "--cluster",
         .group = group,
         .help = "first print which rank has which role and index, on which host, CPUs and GPU"},
        options_.cluster);
    add({.name = "--progress",
         .group = group,
         .help = "say on standard error what is being run",
         .standard = "auto"},
        options_.progress,
        std::vector<std::pair<std::string, Progress>>{
            {"auto", Progress::automatic}, {"on", Progress::on}, {"off", Progress::off}});
    add({.name = "--quiet", .group = group, .help = "print no rows"}, options_.quiet);
}

void CommandLine::add_general() {
    const auto group = FlagGroup::general;
    add({.name = "--manual",
         .group = group,
         .help = "print the man page, or a script that completes flags in bash",
         .words = {"man", "bash"}},
        [](const std::string&) {
            throw UsageError("man or bash, and no other flag beside it: leave out the rest");
        });
    own_flags_.push_back({.name = "--config",
                          .group = group,
                          .value = "FILE",
                          .help = "file of flags: one 'flag = value' a line (TOML)"});
    own_flags_.push_back({.name = "--version", .group = group, .help = "print it and end"});
    own_flags_.push_back({.name = "--help", .group = group, .help = "print this and end"});
}

}  // namespace quartet::bench
