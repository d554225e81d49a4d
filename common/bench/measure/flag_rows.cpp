#include "bench/measure/flag_rows.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "bench/measure/disturbance.hpp"
#include "bench/measure/drift.hpp"
#include "bench/measure/two_speeds.hpp"

namespace quartet::bench {

namespace {

constexpr double least_overhead = 0.01;
// A BLAS with kernels for its processor has 0.8 and more; in registers half as wide, or with one of
// two multipliers, it has 0.5 at most.
constexpr double least_of_hardware = 0.6;

bool is_judged(const Row& row) {
    return row.error.empty() && !row.name.is_of_paper_clock() && !row.runs.empty();
}

// Empty if the library that decides the limit does what the hardware allows, or nothing is known
// of that.
std::string describe_slow_library(const Row& row) {
    if (!row.limit) {
        return {};
    }
    const LimitComponent& decisive = slowest(row.limit->components);
    const double share = decisive.hardware / decisive.seconds;
    if (share == 0 || share >= least_of_hardware) {
        return {};
    }
    return fmt::format(
        "the limit is too low: {} has {:.0f}% of the FMA peak; is there a library, or "
        "a setting of it, for this processor?",
        decisive.name, 100 * share);
}

void flag_runs(Row& row, std::optional<double> best_clock_probe) {
    const auto add = [&](FlagKind kind, std::string text) {
        row.flags.push_back({kind, std::move(text)});
    };
    const std::vector<double> times = row.times();
    if (auto text = describe_disturbance(row.runs, best_clock_probe); !text.empty()) {
        add(FlagKind::disturbed, std::move(text));
    }
    if (const auto speeds = two_speeds(times)) {
        add(speeds->step ? FlagKind::step : FlagKind::two_speeds,
            describe_two_speeds(*speeds, times.size(), "run"));
    } else if (const auto drifted = drift(times)) {
        add(FlagKind::drift, describe_drift(*drifted));
    }
    if (row.limit) {
        if (const auto speeds = two_speeds(row.limit->probes)) {
            add(FlagKind::limit_moved,
                "the limit itself moved: " +
                    describe_two_speeds(*speeds, row.limit->probes.size(), "probe"));
        }
    }
    if (auto text = describe_slow_library(row); row.flags.empty() && !text.empty()) {
        add(FlagKind::slow_library, std::move(text));
    }
    if (row.is_above_limit()) {
        add(FlagKind::above_limit,
            "above its limit, which is too low: a cache helps, or memory was slower while the "
            "limit was measured; quote the rate, not the fraction");
    }
    if (const double share = row.overhead_share(); share > least_overhead) {
        add(FlagKind::overhead,
            fmt::format("the timer and the barrier take {:.0f}% of a run: it is too short for them",
                        100 * share));
    }
    if (auto text = describe_held_back(row.runs); !text.empty()) {
        add(FlagKind::held_back, std::move(text));
    }
}

}  // namespace

void flag_rows(std::span<Row> rows) {
    const auto best_clock = best_clock_probe(rows);
    for (Row& row : rows) {
        row.flags.clear();
        if (is_judged(row)) {
            flag_runs(row, best_clock);
        }
    }
    for (Row& row : rows) {
        for (auto* runs : {&row.runs, &row.replaced}) {
            for (Run& run : *runs) {
                run.disturbed_by = causes_of(run, best_clock);
            }
        }
        if (row.name.is_of_paper_clock()) {  // it has the runs of the row that it belongs to
            const auto whole = std::ranges::find_if(rows, [&](const Row& other) {
                return other.name.with_suffix(paper_suffix).text() == row.name.text() &&
                       !other.name.is_of_paper_clock();
            });
            row.flags = whole == rows.end() ? std::vector<Flag>{} : whole->flags;
        }
    }
}

std::vector<std::string> describe_flags(std::span<const Row> rows) {
    std::vector<std::string> warnings;
    const auto judged = std::ranges::count_if(rows, is_judged);
    for (const FlagKind kind : all_flag_kinds) {
        const Row* first = nullptr;
        const Flag* said = nullptr;
        int count = 0;
        for (const Row& row : rows) {
            for (const Flag& flag : row.flags) {
                if (flag.kind == kind && is_judged(row)) {
                    said = first ? said : &flag;
                    first = first ? first : &row;
                    ++count;
                }
            }
        }
        if (first) {
            const std::string_view mark = distrusts(kind)                 ? "? "
                                          : kind == FlagKind::above_limit ? "! "
                                                                          : "";
            const std::string others =
                count == 1 ? "" : fmt::format(" (the first of {} rows of {})", count, judged);
            warnings.push_back(
                fmt::format("{}{}: {}{}", mark, first->name.text(), said->text, others));
        }
    }
    return warnings;
}

}  // namespace quartet::bench
