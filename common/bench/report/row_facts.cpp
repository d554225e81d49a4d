#include "bench/report/row_facts.hpp"

#include <nlohmann/json.hpp>

#include "bench/results/json_values.hpp"

namespace quartet::bench {

namespace {

using Json = nlohmann::ordered_json;

Json words_of(std::span<const Cause> causes) {
    Json words = Json::array();
    for (const Cause cause : causes) {
        words.push_back(name(cause));
    }
    return words;
}

}  // namespace

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
    put(json, "waiting_share", conditions.waiting_share);
    put(json, "gpu_power_capped_share", conditions.power_capped_share);
    put(json, "gpu_thermally_slowed_share", conditions.thermally_slowed_share);
    put(json, "gpu_power_braked_share", conditions.power_braked_share);
    put(json, "core_loop_seconds", conditions.clock_probe_seconds);
    json["major_page_faults"] = conditions.major_page_faults;
    json["minor_page_faults"] = conditions.minor_page_faults;
    put(json, "mhz", conditions.megahertz);
    put(json, "limit_seconds", run.limit_seconds);
    if (!run.disturbed_by.empty()) {
        json["disturbed_by"] = words_of(run.disturbed_by);
    }
}

nlohmann::ordered_json factors_of(const Row& row) {
    const RowName& name = row.name;
    Json factors{{"kernel", name.kernel},
                 {"formulation", quartet::bench::name(name.variant.formulation)},
                 {"device", name.variant.device},
                 {"transport", name.variant.transport},
                 {"size", value_of(name.size)},
                 {"ranks", name.ranks},
                 {"nodes", name.nodes},
                 {"threads", name.threads}};
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
    limit["probes"] = numbers(row.limit->probes);
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
    json["limit_decided_by"] = row.limit->decided_by();
    put(json, "fraction_of_limit", *row.fraction_of_limit());
    if (const auto fraction = row.fraction_of_all_ranks()) {
        put(json, "fraction_of_all_ranks", *fraction);
    }
    if (const auto interval = row.fraction_interval()) {
        json["fraction_of_limit_ci95"] = numbers({interval->lower, interval->upper});
    }
}

void put_road(Json& json, const Row& row) {
    for (const std::string& node : row.road) {
        json["road"].push_back(Json::parse(node));
    }
}

void put_trust(Json& json, const Row& row) {
    json["distrusted"] = row.distrusted();
    json["flags"] = Json::array();
    for (const Flag& flag : row.flags) {
        json["flags"].push_back({{"kind", name(flag.kind)}, {"text", flag.text}});
    }
    put(json, "overhead_share", row.overhead_share());
    json["interleaved"] = row.alone_because.empty();
    if (!row.alone_because.empty()) {
        json["alone_because"] = row.alone_because;
    }
    if (row.measured_again > 0) {
        json["measured_again"] = row.measured_again;
    }
    if (row.replaced.empty()) {
        return;
    }
    json["replaced_runs"] = Json::array();
    for (const Run& run : row.replaced) {
        Json replaced{{"round", run.round}};
        put_times(replaced, run.real, run.cpu);
        put_conditions(replaced, run);
        json["replaced_runs"].push_back(std::move(replaced));
    }
}

}  // namespace quartet::bench
