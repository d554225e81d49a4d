#include "bench/measure/disturbance.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <iterator>
#include <utility>

#include "bench/results/samples.hpp"

namespace quartet::bench {

namespace {

// The time that a sampling counter may show although nothing happened.
constexpr Seconds six_ticks{0.06};
constexpr Seconds minor_fault{0.5e-6};
constexpr Seconds major_fault{100e-6};

bool disturbs(std::optional<double> share, int cores, Seconds window) {
    return share && *share >= disturbing_share && *share * cores * window > six_ticks;
}

Seconds fault_time(const RunConditions& conditions) {
    return static_cast<double>(conditions.minor_page_faults) * minor_fault +
           static_cast<double>(conditions.major_page_faults) * major_fault;
}

// The larger of two shares: the run's own, and that of the probe before it.
double share_in(const Run& run, std::optional<double> RunConditions::*share) {
    return std::max((run.conditions.*share).value_or(0), (run.probe_conditions.*share).value_or(0));
}

double median_share(std::span<const Run* const> runs, std::optional<double> RunConditions::*share) {
    std::vector<double> shares;
    std::ranges::transform(runs, std::back_inserter(shares),
                           [&](const Run* run) { return share_in(*run, share); });
    return median(shares);
}

// Describes what a cause did to the runs that it disturbed.
std::string describe(Cause cause, std::span<const Run* const> runs, double best_clock_probe) {
    switch (cause) {
        case Cause::others:
            return fmt::format("other processes ran for {:.0f}% of the cores' time",
                               100 * median_share(runs, &RunConditions::others_share));
        case Cause::waiting:
            return fmt::format("threads waited for a core for {:.0f}% of their time",
                               100 * median_share(runs, &RunConditions::waiting_share));
        case Cause::stolen:
            return fmt::format("the hypervisor withheld {:.0f}% of a core's time (\"steal\")",
                               100 * median_share(runs, &RunConditions::stolen_share));
        case Cause::clock: {
            std::vector<double> seconds;
            for (const Run* run : runs) {
                seconds.push_back(run->conditions.clock_probe_seconds.value_or(best_clock_probe));
            }
            return fmt::format(
                "the cores had {:.0f}% of their own best speed (a lower clock, or two hyperthreads "
                "of one core)",
                100 * best_clock_probe / median(seconds));
        }
        case Cause::faults:
            return "pages of memory had to be found";
    }
    return {};
}

}  // namespace

std::vector<Cause> causes_of(const RunConditions& conditions,
                             std::optional<double> best_clock_probe) {
    std::vector<Cause> causes;
    const auto add = [&](bool disturbs, Cause cause) {
        if (disturbs) {
            causes.push_back(cause);
        }
    };
    add(disturbs(conditions.others_share, conditions.node_cores, conditions.window), Cause::others);
    add(conditions.waiting_share.value_or(0) >= disturbing_share && !conditions.oversubscribed,
        Cause::waiting);
    add(disturbs(conditions.stolen_share, conditions.rank_cores, conditions.window), Cause::stolen);
    add(best_clock_probe &&
            conditions.clock_probe_seconds.value_or(0) > slow_clock_probe * *best_clock_probe,
        Cause::clock);
    add(conditions.window > Seconds{} &&
            fault_time(conditions) / conditions.window >= disturbing_share,
        Cause::faults);
    return causes;
}

std::vector<Cause> causes_of(const Run& run, std::optional<double> best_clock_probe) {
    std::vector<Cause> causes = causes_of(run.conditions, best_clock_probe);
    for (const Cause cause : causes_of(run.probe_conditions, std::nullopt)) {
        // The probe's own memory is found while it runs for the first time.
        if (cause != Cause::faults && std::ranges::find(causes, cause) == causes.end()) {
            causes.push_back(cause);
        }
    }
    return causes;
}

std::optional<double> share_of(std::span<const Run> runs,
                               std::optional<double> RunConditions::*share) {
    Seconds all;
    Seconds part;
    for (const Run& run : runs) {
        const auto& of_run = run.conditions.*share;
        if (!of_run) {
            return std::nullopt;
        }
        all = all + run.real;
        part = part + *of_run * run.real;
    }
    return all > Seconds{} ? std::optional(part / all) : std::nullopt;
}

std::optional<double> clock_probe_seconds(std::span<const Run> runs) {
    std::vector<double> seconds;
    for (const Run& run : runs) {
        if (!run.conditions.clock_probe_seconds) {
            return std::nullopt;
        }
        seconds.push_back(*run.conditions.clock_probe_seconds);
    }
    return seconds.empty() ? std::nullopt : std::optional(median(seconds));
}

std::optional<double> best_clock_probe(std::span<const Row> rows) {
    std::optional<double> best;
    for (const Row& row : rows) {
        for (const auto* runs : {&row.runs, &row.replaced}) {
            for (const Run& run : *runs) {
                const auto seconds = run.conditions.clock_probe_seconds;
                best = seconds ? std::min(best.value_or(*seconds), *seconds) : best;
            }
        }
    }
    return best;
}

std::string describe_disturbance(std::span<const Run> runs,
                                 std::optional<double> best_clock_probe) {
    std::array<std::vector<const Run*>, cause_count> by_cause;
    std::size_t disturbed = 0;
    for (const Run& run : runs) {
        const std::vector<Cause> causes = causes_of(run, best_clock_probe);
        disturbed += causes.empty() ? 0 : 1;
        for (const Cause cause : causes) {
            by_cause.at(static_cast<std::size_t>(cause)).push_back(&run);
        }
    }
    if (disturbed <= tolerated_disturbances(runs.size())) {
        return {};
    }
    // The cause that disturbed most runs; the first of equals.
    const auto worst = std::ranges::max_element(by_cause, {}, &std::vector<const Run*>::size);
    const auto cause = static_cast<Cause>(worst - by_cause.begin());
    return fmt::format("{} in {} of {} runs", describe(cause, *worst, best_clock_probe.value_or(0)),
                       worst->size(), runs.size());
}

std::string describe_held_back(std::span<const Run> runs) {
    constexpr std::pair<std::optional<double> RunConditions::*, const char*> reasons[] = {
        {&RunConditions::power_capped_share, "the GPU was at its power limit"},
        {&RunConditions::thermally_slowed_share, "the GPU was too hot, and slowed down"},
        {&RunConditions::power_braked_share, "the power supply slowed the GPU down"}};
    std::string text;
    for (const auto& [share, reason] : reasons) {
        std::vector<Run> held_back;
        std::ranges::copy_if(runs, std::back_inserter(held_back), [share = share](const Run& run) {
            return (run.conditions.*share).value_or(0) >= disturbing_share;
        });
        if (!held_back.empty()) {
            text += fmt::format("{}{} in {} of {} runs (for {:.0f}% of their time)",
                                text.empty() ? "" : "; ", reason, held_back.size(), runs.size(),
                                100 * *share_of(held_back, share));
        }
    }
    return text;
}

}  // namespace quartet::bench
