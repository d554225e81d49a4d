#include "bench/measure/disturbance.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <limits>

#include "bench/measure/samples.hpp"

namespace quartet::bench {

namespace {

constexpr double least_share = 0.05;
constexpr Seconds least_time{0.1};
// A clock probe this many times the shortest one is slow: changes of the clock alone stay below,
// two hyperthreads of one core are above.
constexpr double slow_probe = 1.75;

/// The most disturbed of some rows, and how many were disturbed at all.
struct Worst {
    const Row* row = nullptr;
    double disturbance = 0;
    int disturbed = 0;

    void add(const Row& other, double disturbance_of_other) {
        ++disturbed;
        if (!row || disturbance_of_other > disturbance) {
            row = &other;
            disturbance = disturbance_of_other;
        }
    }
    /// "2 rows of 3".
    [[nodiscard]] std::string of(std::size_t rows) const {
        return fmt::format("{} row{} of {}", disturbed, disturbed == 1 ? "" : "s", rows);
    }
};

std::optional<std::string> describe_steal(std::span<const Row* const> rows) {
    Worst worst;
    for (const Row* row : rows) {
        if (is_disturbed(row->runs)) {
            worst.add(*row, *steal_share(row->runs));
        }
    }
    if (!worst.row) {
        return std::nullopt;
    }
    return fmt::format(
        "the hypervisor withheld {:.0f}% of a core's time (\"steal\") while {} was measured, and "
        "{:.0f}% or more in {}: measure again, or elsewhere",
        100 * worst.disturbance, worst.row->name.text(), 100 * least_share, worst.of(rows.size()));
}

// Compared with the best of this job, since nobody knows how fast these cores should be.
std::optional<std::string> describe_slow_cores(std::span<const Row* const> rows) {
    double shortest = std::numeric_limits<double>::infinity();
    for (const Row* row : rows) {
        for (const Run& run : row->runs) {
            shortest = std::min(shortest, run.clock_probe_seconds.value_or(shortest));
        }
    }
    Worst worst;
    for (const Row* row : rows) {
        const auto seconds = clock_probe_seconds(row->runs);
        if (seconds && *seconds > slow_probe * shortest) {
            worst.add(*row, *seconds);
        }
    }
    if (!worst.row) {
        return std::nullopt;
    }
    return fmt::format(
        "the cores had {:.0f}% of their own best speed while {} was measured, and {:.0f}% or less "
        "in {} (a lower clock, or two hyperthreads of one core): measure again, or elsewhere",
        100 * shortest / worst.disturbance, worst.row->name.text(), 100 / slow_probe,
        worst.of(rows.size()));
}

}  // namespace

std::optional<double> steal_share(std::optional<Seconds> before, std::optional<Seconds> after,
                                  int cores, Seconds real) {
    if (!before || !after || !(real > Seconds{})) {
        return std::nullopt;
    }
    // Below 0 where a processor goes offline and takes its count with it; above 1 where others run
    // beside ranks that are not bound.
    return std::clamp((*after - *before) / real / cores, 0.0, 1.0);
}

std::optional<double> steal_share(std::span<const Run> runs) {
    Seconds real;
    Seconds steal;
    for (const Run& run : runs) {
        if (!run.steal_share) {
            return std::nullopt;
        }
        real = real + run.real;
        steal = steal + *run.steal_share * run.real;
    }
    return real > Seconds{} ? std::optional(steal / real) : std::nullopt;
}

bool is_disturbed(std::span<const Run> runs) {
    Seconds real;
    for (const Run& run : runs) {
        real = real + run.real;
    }
    const auto share = steal_share(runs);
    return share && *share >= least_share && *share * real >= least_time;
}

std::optional<double> clock_probe_seconds(std::span<const Run> runs) {
    std::vector<double> seconds;
    for (const Run& run : runs) {
        if (!run.clock_probe_seconds) {
            return std::nullopt;
        }
        seconds.push_back(*run.clock_probe_seconds);
    }
    return seconds.empty() ? std::nullopt : std::optional(median(seconds));
}

std::vector<std::string> describe_disturbances(std::span<const Row> rows) {
    std::vector<const Row*> measured;
    for (const Row& row : rows) {
        if (row.error.empty() && !row.name.is_of_paper_clock()) {  // a part of the row before
            measured.push_back(&row);
        }
    }
    std::vector<std::string> warnings;
    for (const auto& warning : {describe_steal(measured), describe_slow_cores(measured)}) {
        if (warning) {
            warnings.push_back(*warning);
        }
    }
    return warnings;
}

}  // namespace quartet::bench
