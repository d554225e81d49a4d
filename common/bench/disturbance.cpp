#include "bench/disturbance.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace quartet::bench {

namespace {

constexpr double least_share = 0.05;
constexpr Seconds least_time{0.1};

}  // namespace

std::optional<double> stolen_share(std::optional<Seconds> before, std::optional<Seconds> after,
                                   int cores, Seconds real) {
    if (!before || !after || !(real > Seconds{})) {
        return std::nullopt;
    }
    // A processor that is taken away takes its count with it. More than all is stolen where others
    // run beside ranks that are not bound.
    return std::clamp((*after - *before) / real / cores, 0.0, 1.0);
}

std::optional<double> stolen_share(std::span<const Run> runs) {
    Seconds real;
    Seconds stolen;
    for (const Run& run : runs) {
        if (!run.stolen_share) {
            return std::nullopt;
        }
        real = real + run.real;
        stolen = stolen + *run.stolen_share * run.real;
    }
    return real > Seconds{} ? std::optional(stolen / real) : std::nullopt;
}

bool is_disturbed(std::span<const Run> runs) {
    Seconds real;
    for (const Run& run : runs) {
        real = real + run.real;
    }
    const auto share = stolen_share(runs);
    return share && *share >= least_share && *share * real >= least_time;
}

std::optional<std::string> describe_disturbance(std::span<const Row> rows) {
    const Row* worst = nullptr;
    int disturbed = 0;
    int measured = 0;
    for (const Row& row : rows) {
        if (!row.error.empty() || row.name.suffix == "paper") {
            continue;  // the paper's clock is a part of the row before
        }
        ++measured;
        if (is_disturbed(row.runs)) {
            ++disturbed;
            const bool worse = !worst || stolen_share(row.runs) > stolen_share(worst->runs);
            worst = worse ? &row : worst;
        }
    }
    if (!worst) {
        return std::nullopt;
    }
    return fmt::format(
        "the hypervisor withheld {:.0f}% of a core's time (\"steal\") while {} was measured, and "
        "{:.0f}% or more in {} row{} of {}: measure again, or elsewhere",
        100 * *stolen_share(worst->runs), worst->name.text(), 100 * least_share, disturbed,
        disturbed == 1 ? "" : "s", measured);
}

}  // namespace quartet::bench
