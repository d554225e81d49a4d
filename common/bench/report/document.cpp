#include "bench/report/document.hpp"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <cmath>

#include "bench/measure/disturbance.hpp"
#include "bench/measure/drift.hpp"
#include "bench/report/row_facts.hpp"
#include "bench/results/json_values.hpp"
#include "bench/results/samples.hpp"
#include "core/files/file.hpp"

namespace quartet::bench {

namespace {

using Json = nlohmann::ordered_json;

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
    put(json, "per_worker", row.work.rate({median_time}) / row.work.workers);
    put(json, "total_seconds", row.set_up.value + median_time);
    if (!row.whole_task.empty()) {
        put(json, "whole_task_seconds", total(row.whole_task).value);
        for (const auto& [stage, seconds] : row.whole_task) {
            put(json["whole_task"], std::string(name(stage)), seconds.value);
        }
    }
    put_check(json, row);
    put_limit(json, row);
    if (const auto drifted = drift(row.times())) {
        put(json, "drift", *drifted);
    }
    put_trust(json, row);
    put_road(json, row);
    put(json, "stolen_share", share_of(row.runs, &RunConditions::stolen_share));
    put(json, "others_share", share_of(row.runs, &RunConditions::others_share));
    put(json, "waiting_share", share_of(row.runs, &RunConditions::waiting_share));
    put(json, "gpu_power_capped_share", share_of(row.runs, &RunConditions::power_capped_share));
    put(json, "gpu_thermally_slowed_share",
        share_of(row.runs, &RunConditions::thermally_slowed_share));
    put(json, "gpu_power_braked_share", share_of(row.runs, &RunConditions::power_braked_share));
    put(json, "core_loop_seconds", clock_probe_seconds(row.runs));
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
    const Summary rate = summarise(rates);
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

void append_aggregates(Json& rows, const Row& row, const std::string& isa) {
    const Summary real = summarise(row.times());
    const Summary cpu = summarise(cpu_times(row));
    rows.push_back(time_aggregate(row, "median", real.median, cpu.median));
    if (!isa.empty()) {
        rows.back()["isa"] = isa;
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

nlohmann::ordered_json benchmarks(std::span<const Row> rows, const std::string& isa) {
    Json all = Json::array();
    for (const Row& row : rows) {
        if (!row.error.empty()) {
            all.push_back(error_row(row));
            continue;
        }
        for (std::size_t index = 0; index < row.runs.size(); ++index) {
            all.push_back(iteration_row(row, index));
        }
        append_aggregates(all, row, isa);
    }
    return all;
}

}  // namespace quartet::bench
