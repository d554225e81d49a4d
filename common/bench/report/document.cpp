#include "bench/report/document.hpp"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <cmath>
#include <iterator>
#include <optional>

#include "bench/results/flags.hpp"
#include "core/units.hpp"

namespace quartet::bench {

namespace {

using Json = nlohmann::ordered_json;

// Leaves out unknown values, and numbers that are not finite, which other readers of the format
// refuse.
void put(Json& json, const std::string& key, std::optional<double> value) {
    if (value && std::isfinite(*value)) {
        json[key] = *value;
    }
}

void put(Json& json, const std::string& key, const std::string& text) {
    if (!text.empty()) {
        json[key] = text;
    }
}

Json numbers(const std::vector<double>& values) {
    Json all = Json::array();
    for (const double value : values) {
        all.push_back(std::isfinite(value) ? Json(value) : Json());
    }
    return all;
}

void put_times(Json& json, Seconds real, Seconds cpu) {
    put(json, "real_time", real.value * 1e3);
    put(json, "cpu_time", cpu.value * 1e3);
    json["time_unit"] = "ms";
}

void put_rates(Json& json, const Work& work, Seconds time) {
    put(json, std::string(name(work.unit)), work.rate(time));
    if (work.unit == RateUnit::mebibytes && time.value > 0) {
        put(json, "bytes_per_second", static_cast<double>(work.bytes.value) / time.value);
    }
}

Json value_of(const std::string& text) {
    try {
        const bool is_size = text.ends_with('B');
        return is_size ? parse_bytes(text).value : quartet::parse_count(text);
    } catch (const UsageError&) {
        return text;
    }
}

Json factors_of(const RowName& name) {
    Json factors{
        {"kernel", name.kernel},         {"formulation", bench::name(name.variant.formulation)},
        {"device", name.variant.device}, {"transport", name.variant.transport},
        {"size", value_of(name.size)},   {"ranks", name.ranks},
        {"nodes", name.nodes},           {"threads", name.threads}};
    for (const Word& word : name.words) {
        factors[word.key] = word.text;
    }
    for (const auto& [key, value] : name.factors) {
        factors[key] = value_of(value);
    }
    if (const auto colon = name.suffix.find(':'); colon != std::string::npos) {  // "pair:1-0"
        factors[name.suffix.substr(0, colon)] = name.suffix.substr(colon + 1);
    } else if (name.is_of_paper_clock()) {
        factors["clock"] = name.suffix;
    }
    return factors;
}

// The keys that Google Benchmark's rows begin with.
Json row_of(const Row& row, const std::string& aggregate) {
    const std::string name = row.name.text();
    const bool is_run = aggregate.empty();
    Json json{{"name", is_run ? name : name + "_" + aggregate},
              {"run_name", name},
              {"factors", factors_of(row.name)},
              {"run_type", is_run ? "iteration" : "aggregate"},
              {"repetitions", row.runs.size()},
              {"threads", row.name.threads},
              {"iterations", is_run ? 1 : row.runs.size()}};
    if (!is_run) {
        json["aggregate_name"] = aggregate;
        json["aggregate_unit"] = aggregate == "cv" ? "percentage" : "time";
    }
    return json;
}

// How one run spent its time.
void put_run(Json& json, const Work& work, const Run& run) {
    for (const auto& [key, value] : work.counters) {
        put(json, key, value);
    }
    if (!run.rank_seconds.empty()) {
        json["rank_seconds"] = numbers(run.rank_seconds);
    }
    Json& phases = json["phases"] = Json::object();
    for (std::size_t index = 0; index < phase_count; ++index) {
        if (run.phases[index] > 0) {
            put(phases, std::string(name(static_cast<Phase>(index))), run.phases[index]);
        }
    }
    const auto joules = run.conditions.energy_joules;
    put(json, "energy_joules", joules);
    if (joules.value_or(0) > 0 && work.unit == RateUnit::gflops) {
        put(json, "gflops_per_watt", work.flops.value / *joules / 1e9);
    }
}

constexpr std::pair<const char*, std::optional<double> RunConditions::*> shares[] = {
    {"stolen_share", &RunConditions::stolen_share},
    {"others_share", &RunConditions::others_share},
    {"gpu_power_capped_share", &RunConditions::power_capped_share},
    {"gpu_thermally_slowed_share", &RunConditions::thermally_slowed_share},
    {"gpu_power_braked_share", &RunConditions::power_braked_share}};

Json iteration(const Row& row, std::size_t index) {
    const Run& run = row.runs[index];
    Json json = row_of(row, "");
    json["repetition_index"] = index;
    put_times(json, run.real, run.cpu);
    put_rates(json, row.work, run.real);
    put_run(json, row.work, run);
    json["round"] = run.round;
    for (const auto& [key, share] : shares) {
        put(json, key, run.conditions.*share);
    }
    put(json, "core_loop_seconds", run.conditions.clock_probe_seconds);
    put(json, "limit_seconds", run.limit_seconds);
    return json;
}

void put_check(Json& json, const std::optional<Check>& check) {
    json["verified"] = nullptr;
    if (check) {
        json["verified"] = check->passed;
        put(json, "error", check->error);
        put(json, "tolerance", check->tolerance);
        put(json, "precision", check->precision);
        put(json, "wrong_because", check->why);
    }
}

Json json_of(const LimitComponent& component) {
    Json json{{"name", component.name}};
    put(json, "seconds", component.seconds.value);
    put(json, "way", component.way);
    if (component.hardware > Seconds{}) {
        put(json, "hardware_seconds", component.hardware.value);
    }
    if (component.all_ranks > Seconds{}) {
        json["ranks"] = component.ranks;
        put(json, "all_ranks_seconds", component.all_ranks.value);
    }
    return json;
}

void put_limit(Json& json, const Row& row) {
    if (!row.limit) {
        return;
    }
    Json& limit = json["limit"] = Json{{"what", row.limit->what()}};
    put(limit, "seconds", row.limit->seconds.value);
    put(limit, "rate", row.work.rate(row.limit->seconds));
    for (const auto& probe : row.limit->probes) {
        limit["probes"].push_back(slowest(probe).seconds.value);
    }
    for (const LimitComponent& component : row.limit->components) {
        json["limit_components"].push_back(json_of(component));
    }
    json["limit_decided_by"] = slowest(row.limit->components).name;
    put(json, "fraction_of_limit", row.fraction_of_limit());
    put(json, "fraction_of_all_ranks", row.fraction_of_all_ranks());
    if (const auto interval = row.fraction_interval()) {
        json["fraction_of_limit_ci95"] = numbers({interval->lower, interval->upper});
    }
}

// The run whose time is nearest to the median stands for the row.
const Run& middle_run(const Row& row) {
    return *std::ranges::min_element(
        row.runs, {}, [&](const Run& run) { return std::abs(run.real.value - row.time.median); });
}

void put_median_extras(Json& json, const Row& row, const JobFacts& job) {
    put_run(json, row.work, middle_run(row));
    put(json, "flops", row.work.flops.value);
    json["bytes"] = row.work.bytes.value;
    json["workers"] = row.work.workers;
    if (row.work.gpus > 0) {
        json["gpus"] = row.work.gpus;
    }
    const double total = row.set_up.value + row.time.median;
    put(json, "total_seconds", total);
    put_check(json, row.check);
    put_limit(json, row);
    json["distrusted"] = row.distrusted();
    json["flags"] = Json::array();
    for (const Flag& flag : row.flags) {
        json["flags"].push_back({{"kind", name(flag.kind)}, {"text", flag.text}});
    }
    for (const std::string& node : row.network) {
        json["network_path"].push_back(Json::parse(node));
    }
    for (const auto& [key, share] : shares) {
        put(json, key, share_of(row.runs, share));
    }
    put(json, "note", row.note);
    for (const auto& [key, value] : row.details.numbers) {
        put(json, key, value);
    }
    for (const auto& [key, values] : row.details.series) {
        json[key] = numbers(values);
    }
    for (const auto& [key, value] : row.details.flags) {
        json[key] = value;
    }
    put(json, "isa", job.isa);
    if (row.name.suffix.empty()) {
        put(json, "whole_task_seconds", job.start_up.value + total + row.write_results.value);
    }
}

void append_aggregates(Json& rows, const Row& row, const JobFacts& job) {
    const auto summary_of = [&](const auto& figure_of) {
        std::vector<double> figures;
        std::ranges::transform(row.runs, std::back_inserter(figures), figure_of);
        return Summary::of(figures);
    };
    const Summary& real = row.time;
    const Summary cpu = summary_of([](const Run& run) { return run.cpu.value; });
    // A spread of times is not a spread of rates.
    const Summary rates = summary_of([&](const Run& run) { return row.work.rate(run.real); });
    const auto add_time = [&](const char* aggregate, double real_time, double cpu_time) -> Json& {
        Json& json = rows.emplace_back(row_of(row, aggregate));
        put_times(json, {real_time}, {cpu_time});
        put_rates(json, row.work, {real_time});
        return json;
    };
    const auto add_spread = [&](const char* aggregate, double real_spread, double cpu_spread,
                                double of_rates) -> Json& {
        Json& json = rows.emplace_back(row_of(row, aggregate));
        put(json, "real_time", real_spread);
        put(json, "cpu_time", cpu_spread);
        json["time_unit"] = "ms";
        put(json, std::string(name(row.work.unit)), of_rates);
        return json;
    };
    put_median_extras(add_time("median", real.median, cpu.median), row, job);
    add_time("mean", real.mean, cpu.mean);
    add_spread("stddev", 1e3 * real.stddev, 1e3 * cpu.stddev, rates.stddev);
    add_spread("cv", real.variation(), cpu.variation(), rates.variation());
    add_time("min", real.minimum, cpu.minimum);
    add_time("max", real.maximum, cpu.maximum);
    if (real.interval) {
        add_time("ci95_low", real.interval->lower, cpu.interval->lower);
        add_time("ci95_high", real.interval->upper, cpu.interval->upper);
    }
}

Json error_row(const Row& row) {
    return {{"name", row.name.text()},         {"run_name", row.name.text()},
            {"factors", factors_of(row.name)}, {"run_type", "aggregate"},
            {"aggregate_name", "error"},       {"aggregate_unit", "time"},
            {"threads", row.name.threads},     {"error_occurred", true},
            {"error_message", row.error}};
}

}  // namespace

nlohmann::ordered_json benchmarks(std::span<const Row> rows, const JobFacts& job) {
    Json all = Json::array();
    for (const Row& row : rows) {
        if (!row.error.empty()) {
            all.push_back(error_row(row));
            continue;
        }
        for (std::size_t index = 0; index < row.runs.size(); ++index) {
            all.push_back(iteration(row, index));
        }
        append_aggregates(all, row, job);
    }
    return all;
}

}  // namespace quartet::bench
