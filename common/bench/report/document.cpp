#include "bench/report/document.hpp"

#include <fmt/format.h>
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

// Numbers that are not finite are left out: other readers of the format stumble over them.
void put(Json& row, const std::string& key, double value) {
    if (std::isfinite(value)) {
        row[key] = value;
    }
}

void put(Json& row, const std::string& key, std::optional<double> value) {
    if (value) {
        put(row, key, *value);
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

Json value_of(const std::string& text) {
    try {
        const bool is_size = text.ends_with('B');
        return is_size ? parse_bytes(text).value : quartet::parse_count(text);
    } catch (const UsageError&) {
        return text;
    }
}

void put_rates(Json& json, const Work& work, Seconds time) {
    put(json, std::string(name(work.unit)), work.rate(time));
    if (work.unit == RateUnit::mebibytes && time.value > 0) {
        put(json, "bytes_per_second", static_cast<double>(work.bytes.value) / time.value);
    }
}

Json phases_of(const PhaseSeconds& seconds) {
    Json phases = Json::object();
    for (std::size_t index = 0; index < phase_count; ++index) {
        if (seconds[index] > 0) {
            put(phases, std::string(name(static_cast<Phase>(index))), seconds[index]);
        }
    }
    return phases;
}

void put_counters(Json& json, const Work& work) {
    for (const auto& [key, value] : work.counters) {
        put(json, key, value);
    }
}

void put_rank_seconds(Json& json, const Run& run) {
    if (!run.rank_summary) {
        if (!run.rank_seconds.empty()) {
            json["rank_seconds"] = numbers(run.rank_seconds);
        }
        return;
    }
    const RankSummary& summary = *run.rank_summary;
    Json of_many{{"ranks", summary.ranks}};
    put(of_many, "mean", summary.mean);
    put(of_many, "min", summary.minimum);
    put(of_many, "p25", summary.p25);
    put(of_many, "p50", summary.p50);
    put(of_many, "p75", summary.p75);
    put(of_many, "p99", summary.p99);
    put(of_many, "max", summary.maximum);
    of_many["slowest"] = Json::array();
    for (const RankSummary::Slow& slow : summary.slowest) {
        of_many["slowest"].push_back({{"rank", slow.rank}, {"host", slow.host}});
        put(of_many["slowest"].back(), "seconds", slow.seconds);
    }
    json["rank_seconds_summary"] = std::move(of_many);
}

void put_energy(Json& json, const Row& row, const Run& run) {
    const auto joules = run.conditions.energy_joules;
    put(json, "energy_joules", joules);
    if (joules.value_or(0) > 0 && row.work.unit == RateUnit::gflops) {
        put(json, "gflops_per_watt", row.work.flops.value / *joules / 1e9);
    }
}

void put_conditions(Json& json, const Run& run) {
    const RunConditions& conditions = run.conditions;
    put(json, "stolen_share", conditions.stolen_share);
    put(json, "others_share", conditions.others_share);
    put(json, "gpu_power_capped_share", conditions.power_capped_share);
    put(json, "gpu_thermally_slowed_share", conditions.thermally_slowed_share);
    put(json, "gpu_power_braked_share", conditions.power_braked_share);
    put(json, "core_loop_seconds", conditions.clock_probe_seconds);
    put(json, "limit_seconds", run.limit_seconds);
}

Json factors_of(const Row& row) {
    const RowName& name = row.name;
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

void put_limit(Json& json, const Row& row) {
    if (!row.limit) {
        return;
    }
    Json limit{{"what", row.limit->what()}};
    put(limit, "seconds", row.limit->seconds.value);
    put(limit, "rate", row.work.rate(row.limit->seconds));
    for (const auto& probe : row.limit->probes) {
        limit["probes"].push_back(slowest(probe).seconds.value);
    }
    json["limit"] = std::move(limit);
    json["limit_components"] = Json::array();
    for (const LimitComponent& component : row.limit->components) {
        Json& part = json["limit_components"].emplace_back(Json{{"name", component.name}});
        put(part, "seconds", component.seconds.value);
        if (!component.way.empty()) {
            part["way"] = component.way;
        }
        if (component.hardware > Seconds{}) {
            put(part, "hardware_seconds", component.hardware.value);
        }
        if (component.all_ranks > Seconds{}) {
            part["ranks"] = component.ranks;
            put(part, "all_ranks_seconds", component.all_ranks.value);
        }
    }
    json["limit_decided_by"] = slowest(row.limit->components).name;
    put(json, "fraction_of_limit", *row.fraction_of_limit());
    if (const auto fraction = row.fraction_of_all_ranks()) {
        put(json, "fraction_of_all_ranks", *fraction);
    }
    if (const auto interval = row.fraction_interval()) {
        json["fraction_of_limit_ci95"] = numbers({interval->lower, interval->upper});
    }
}

void put_network_path(Json& json, const Row& row) {
    for (const std::string& node : row.network) {
        json["network_path"].push_back(Json::parse(node));
    }
}

void put_trust(Json& json, const Row& row) {
    json["distrusted"] = row.distrusted();
    json["flags"] = Json::array();
    for (const Flag& flag : row.flags) {
        json["flags"].push_back({{"kind", name(flag.kind)}, {"text", flag.text}});
    }
}

// How one run spent its time.
void put_run(Json& json, const Row& row, const Run& run) {
    put_counters(json, row.work);
    put_rank_seconds(json, run);
    json["phases"] = phases_of(run.phases);
    for (const RolePhases& slowest : run.roles) {
        Json its{{"rank", slowest.rank}};
        put(its, "seconds", slowest.seconds);
        its["phases"] = phases_of(slowest.phases);
        json["phases_by_role"][std::string(name(slowest.role))] = std::move(its);
    }
    put_energy(json, row, run);
}

Json iteration_row(const Row& row, std::size_t index) {
    const Run& run = row.runs[index];
    Json json{{"name", row.name.text()},        {"run_name", row.name.text()},
              {"factors", factors_of(row)},     {"run_type", "iteration"},
              {"repetitions", row.runs.size()}, {"repetition_index", index},
              {"threads", row.name.threads},    {"iterations", 1}};
    put_times(json, run.real, run.cpu);
    put_rates(json, row.work, run.real);
    put_run(json, row, run);
    json["round"] = run.round;
    put_conditions(json, run);
    return json;
}

Json aggregate_row(const Row& row, const std::string& aggregate, const std::string& unit) {
    return {{"name", row.name.text() + "_" + aggregate},
            {"run_name", row.name.text()},
            {"factors", factors_of(row)},
            {"run_type", "aggregate"},
            {"repetitions", row.runs.size()},
            {"threads", row.name.threads},
            {"aggregate_name", aggregate},
            {"aggregate_unit", unit},
            {"iterations", row.runs.size()}};
}

std::vector<double> cpu_times(const Row& row) {
    std::vector<double> times;
    std::ranges::transform(row.runs, std::back_inserter(times),
                           [](const Run& run) { return run.cpu.value; });
    return times;
}

// The run whose time is nearest to the median: its ranks and phases stand for the row.
const Run& middle_run(const Row& row, double median_time) {
    return *std::ranges::min_element(
        row.runs, {}, [&](const Run& run) { return std::abs(run.real.value - median_time); });
}

void put_check(Json& json, const Row& row) {
    json["verified"] = nullptr;
    if (row.check) {
        json["verified"] = row.check->passed;
        put(json, "error", row.check->error);
        put(json, "tolerance", row.check->tolerance);
        if (row.check->input_changed) {
            json["input_changed"] = true;
        }
        if (!row.check->precision.empty()) {
            json["precision"] = row.check->precision;
        }
        if (!row.check->why.empty()) {
            json["wrong_because"] = row.check->why;
        }
    }
}

void put_median_extras(Json& json, const Row& row, double median_time) {
    put_run(json, row, middle_run(row, median_time));
    put(json, "flops", row.work.flops.value);
    json["bytes"] = row.work.bytes.value;
    json["workers"] = row.work.workers;
    if (row.work.gpus > 0) {
        json["gpus"] = row.work.gpus;
    }
    put(json, "total_seconds", row.set_up.value + median_time);
    put_check(json, row);
    put_limit(json, row);
    put_trust(json, row);
    put_network_path(json, row);
    put(json, "stolen_share", share_of(row.runs, &RunConditions::stolen_share));
    put(json, "others_share", share_of(row.runs, &RunConditions::others_share));
    put(json, "gpu_power_capped_share", share_of(row.runs, &RunConditions::power_capped_share));
    put(json, "gpu_thermally_slowed_share",
        share_of(row.runs, &RunConditions::thermally_slowed_share));
    put(json, "gpu_power_braked_share", share_of(row.runs, &RunConditions::power_braked_share));
    if (!row.note.empty()) {
        json["note"] = row.note;
    }
    for (const auto& [key, value] : row.details.numbers) {
        put(json, key, value);
    }
    for (const auto& [key, values] : row.details.series) {
        json[key] = numbers(values);
    }
    for (const auto& [key, value] : row.details.flags) {
        json[key] = value;
    }
    if (const auto& steps = row.details.steps) {
        json["step_seconds"] = {{"of", steps->of}, {"count", steps->seconds.count}};
        put(json["step_seconds"], "p50", steps->seconds.p50);
        put(json["step_seconds"], "p90", steps->seconds.p90);
        put(json["step_seconds"], "p99", steps->seconds.p99);
        put(json["step_seconds"], "max", steps->seconds.maximum);
    }
}

Json time_aggregate(const Row& row, const std::string& aggregate, double real, double cpu) {
    Json json = aggregate_row(row, aggregate, "time");
    put_times(json, {real}, {cpu});
    put_rates(json, row.work, {real});
    if (aggregate == "median") {
        put_median_extras(json, row, real);
    }
    return json;
}

// A spread of times is not a spread of rates: each is computed from its own values.
Json spread_aggregate(const Row& row, const std::string& aggregate, const Summary& real,
                      const Summary& cpu) {
    std::vector<double> rates;
    std::ranges::transform(row.runs, std::back_inserter(rates),
                           [&](const Run& run) { return row.work.rate(run.real); });
    const Summary rate = Summary::of(rates);
    const std::string key(name(row.work.unit));
    if (aggregate == "cv") {
        Json json = aggregate_row(row, aggregate, "percentage");
        put(json, "real_time", real.variation());
        put(json, "cpu_time", cpu.variation());
        json["time_unit"] = "ms";
        put(json, key, rate.variation());
        return json;
    }
    Json json = aggregate_row(row, aggregate, "time");
    put_times(json, {real.stddev}, {cpu.stddev});
    put(json, key, rate.stddev);
    return json;
}

// The whole task from the launch to the results in files, as a user waits for it, if it ran once
// and nothing was measured beside it; not of clocks within a run.
void append_aggregates(Json& rows, const Row& row, const JobFacts& job) {
    const Summary& real = row.time;
    const Summary cpu = Summary::of(cpu_times(row));
    rows.push_back(time_aggregate(row, "median", real.median, cpu.median));
    if (!job.isa.empty()) {
        rows.back()["isa"] = job.isa;
    }
    if (row.name.suffix.empty()) {
        put(rows.back(), "whole_task_seconds",
            (job.start_up + row.set_up + Seconds{real.median} + row.write_results).value);
    }
    rows.push_back(time_aggregate(row, "mean", real.mean, cpu.mean));
    rows.push_back(spread_aggregate(row, "stddev", real, cpu));
    rows.push_back(spread_aggregate(row, "cv", real, cpu));
    rows.push_back(time_aggregate(row, "min", real.minimum, cpu.minimum));
    rows.push_back(time_aggregate(row, "max", real.maximum, cpu.maximum));
    if (real.interval) {
        rows.push_back(time_aggregate(row, "ci95_low", real.interval->lower, cpu.interval->lower));
        rows.push_back(time_aggregate(row, "ci95_high", real.interval->upper, cpu.interval->upper));
    }
}

Json error_row(const Row& row) {
    return {
        {"name", row.name.text()},     {"run_name", row.name.text()}, {"factors", factors_of(row)},
        {"run_type", "aggregate"},     {"aggregate_name", "error"},   {"aggregate_unit", "time"},
        {"threads", row.name.threads}, {"error_occurred", true},      {"error_message", row.error}};
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
            all.push_back(iteration_row(row, index));
        }
        append_aggregates(all, row, job);
    }
    return all;
}

}  // namespace quartet::bench
