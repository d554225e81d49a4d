#include <fmt/format.h>
#include <fmt/ranges.h>

#include <charconv>
#include <limits>

#include "bench/flags/command_line.hpp"
#include "device/device_registry.hpp"
#include "device/host/loops/loops.hpp"

// The flags that all programs have, and --queue, which several have.
namespace quartet::bench {

namespace {

const std::vector<std::pair<std::string, Switch>> switch_words{{"on", Switch::on},
                                                               {"off", Switch::off}};

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

Bytes parse_chunk(std::string_view text) {
    const Bytes chunk = parse_bytes(text);
    if (chunk < kibibytes(1) || chunk > gibibytes(1)) {
        throw UsageError(fmt::format("{} is out of range: 1 KiB to 1 GiB", quotation(text)));
    }
    return chunk;
}

std::vector<Formulation> parse_formulations(std::string_view text) {
    std::vector<Formulation> formulations;
    for (const std::string& word : parse_list(text)) {
        formulations.push_back(parse_formulation(word));
    }
    return formulations;
}

auto count_between(int least, int most) {
    return [least, most](std::string_view text) {
        return static_cast<int>(parse_count(text, least, most));
    };
}

}  // namespace

std::filesystem::path parse_path(const std::string& text) {
    if (text.empty()) {
        throw UsageError("file name is empty");
    }
    return text;
}

void CommandLine::add_selection() {
    const auto group = FlagGroup::work;
    const auto devices = device::DeviceRegistry::standard();
    add({"--formulation", group, "LIST",
         fmt::format("formulations, of {}", fmt::join(formulation_names(), ", ")), "native"},
        into(options_.formulations, parse_formulations));
    add({"--transport", group, "LIST",
         fmt::format("ways to move data, of auto, {}",
                     fmt::join(comm::TransportRegistry::standard().names(), ", ")),
         "auto"},
        into(options_.transports, parse_list));
    add({"--device", group, fmt::format("{}", fmt::join(devices.choices(), "|")),
         "what computes; auto: a GPU where there is one", "auto"},
        into(options_.device, [devices](const std::string& text) {
            return text == "auto" ? text : devices.find(text).name;
        }));
    add({"--filter", group, "REGEX", "only cases with a row whose name matches (ECMAScript)"},
        into(options_.filter, parse_filter));
    add({"--list", group, "", "show what can run here, and why the rest cannot"}, options_.list);
    add({"--dry-run", group, "", "show the cases, their memory and the estimated time"},
        options_.dry_run);
}

void CommandLine::add_measurement() {
    const auto group = FlagGroup::measuring;
    Runs& runs = options_.runs;
    add({"--runs", group, "N|auto", "measured runs of a case; auto: as many as --ci needs", "10"},
        into(runs.count, [](const std::string& text) {
            return text == "auto" ? std::nullopt : std::optional(count_between(1, 100000)(text));
        }));
    add({"--ci", group, "PERCENT", "with --runs auto: width of the median's 95% interval", "5%"},
        into(runs.interval, parse_percentage));
    add({"--warmup", group, "N",
         "runs before the measured ones; unless 0, also one before each run shorter than 0.05 s, "
         "after the probe of its limit",
         "1"},
        into(runs.warmup, count_between(0, 1000)));
    add({"--limits", group, "", "measure the machine's limits between the runs", "on"},
        options_.limits, switch_words);
    add({"--verify", group, "", "check each result", "on"}, options_.verify, switch_words);
    add({"--seed", FlagGroup::data, "N", "seed of all data", "1"},
        into(options_.seed, [](std::string_view text) {
            return static_cast<std::uint64_t>(
                parse_count(text, 0, std::numeric_limits<std::int64_t>::max()));
        }));
}

void CommandLine::add_resources() {
    const auto group = FlagGroup::resources;
    const auto bytes = [](std::string_view text) { return parse_bytes(text); };
    add({"--threads", group, "N", "threads of a rank [cores of the node / its ranks]"},
        into(options_.threads, count_between(1, device::DeviceSettings::most_threads)));
    std::vector<std::pair<std::string, std::string>> sets;
    for (const std::string& isa : device::isa_choices()) {
        sets.emplace_back(isa, isa);
    }
    add({"--isa", group, "", "vector instructions of the host's loops", "auto"}, options_.isa,
        sets);
    add({"--memory", group, "SIZE", "memory that a rank may take [what is available]"},
        into(options_.memory, bytes));
    add({"--device-memory", group, "SIZE", "GPU memory that a rank may take [what is free]"},
        into(options_.device_memory, bytes));
    add({"--gpu-map", group, "NUMBERS", "GPU of each rank of a node, as 0,0,1 [the nearest]"},
        into(options_.gpu_map, parse_gpu_map));
    add({"--chunk", FlagGroup::transfers, "SIZE", "piece of a pipelined transfer, 1 KiB to 1 GiB",
         "2MiB"},
        into(options_.transfer.chunk, parse_chunk));
    add({"--pipeline", FlagGroup::transfers, "", "overlap the pieces of a transfer", "on"},
        options_.transfer.pipeline,
        std::vector<std::pair<std::string, comm::Pipeline>>{{"on", comm::Pipeline::on},
                                                            {"off", comm::Pipeline::off}});
}

void CommandLine::add_queue() {
    add({"--queue", FlagGroup::transfers, "N", "with dataflow: items that a queue holds", "16"},
        into(options_.queue, count_between(1, 1 << 16)));
}

void CommandLine::add_output() {
    const auto group = FlagGroup::output;
    add({"--json", group, "FILE", "write the results there"}, into(options_.json, parse_path));
    add({"--trace", group, "FILE", "write a timeline there (Chrome trace format)"},
        into(options_.trace, parse_path));
    add({"--force", group, "", "overwrite the files of --json and --trace"}, options_.force);
    add({"--cluster", group, "",
         "first print which rank has which role and index, on which host, CPUs and GPU"},
        options_.cluster);
    add({"--progress", group, "", "say on standard error what is being run; auto: on a terminal",
         "auto"},
        options_.progress,
        std::vector<std::pair<std::string, Progress>>{
            {"auto", Progress::automatic}, {"on", Progress::on}, {"off", Progress::off}});
    add({"--quiet", group, "", "print no rows"}, options_.quiet);
}

}  // namespace quartet::bench
