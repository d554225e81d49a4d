#include "bench/results/flags.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <utility>

namespace quartet::bench {

namespace {

constexpr Seconds six_ticks{0.06};
constexpr double unsteady_share = 0.25;     // width of the middle half of the runs, by their median
constexpr double useless_limit_spread = 1;  // likewise of a limit's probes
constexpr double implausible_fraction = 1.05;
// A BLAS with kernels for its processor reaches 0.8 or more of the hardware's peak; with registers
// half as wide, or with one of two multipliers, it reaches at most 0.5.
constexpr double least_of_hardware = 0.6;

bool disturbs(std::optional<double> share, int cores, Seconds window) {
    return share && *share >= disturbing_share && *share * cores * window > six_ticks;
}

std::string describe_load(double taken, double withheld) {
    return taken >= withheld
               ? fmt::format("other processes took time worth {:.0f}% of the job's cores",
                             100 * taken)
               : fmt::format("the hypervisor withheld {:.0f}% of a core's time (\"steal\")",
                             100 * withheld);
}

// Of a run, the median shares; of all runs, the time.
RunConditions typical_of(std::span<const Run> runs) {
    std::vector<double> stolen;
    std::vector<double> others;
    RunConditions found = runs.front().conditions;
    found.window = {};
    for (const Run& run : runs) {
        stolen.push_back(run.conditions.stolen_share.value_or(0));
        others.push_back(run.conditions.others_share.value_or(0));
        found.window = found.window + run.conditions.window;
    }
    found.stolen_share = Summary::of(stolen).median;
    found.others_share = Summary::of(others).median;
    return found;
}

// Empty if less than a quarter of the runs was disturbed, which their median tolerates. Runs that
// are too short by themselves are judged together.
std::string describe_disturbance(std::span<const Run> runs) {
    std::vector<double> stolen;
    std::vector<double> others;
    for (const Run& run : runs) {
        if (is_disturbed(run.conditions)) {
            stolen.push_back(run.conditions.stolen_share.value_or(0));
            others.push_back(run.conditions.others_share.value_or(0));
        }
    }
    if (stolen.size() <= (runs.size() - 1) / 4) {
        const RunConditions typical = typical_of(runs);
        return is_disturbed(typical) ? describe_load(*typical.others_share, *typical.stolen_share) +
                                           ", by the median of all runs"
                                     : "";
    }
    return fmt::format("{} in {} of {} runs",
                       describe_load(Summary::of(others).median, Summary::of(stolen).median),
                       stolen.size(), runs.size());
}

// Judges runs that are too short for the processors' counters by the load during the whole job,
// unless there are enough of them to show a disturbance by their spread. A load that all of them
// had, or that lasts longer than all of them, does not widen it. Empty for a quiet job.
std::string describe_load_of_job(const Row& row, const RunConditions& job) {
    const auto would_show = [&](const Run& run) {
        RunConditions conditions = job;
        conditions.window = 0.5 * run.conditions.window;  // sampling may miss half of it by chance
        return is_disturbed(conditions);
    };
    std::vector<double> others;
    Seconds all{};
    for (const Run& run : row.runs) {
        others.push_back(run.conditions.others_share.value_or(0));
        all = all + run.conditions.window;
    }
    const bool is_hidden = Summary::of(others).median >= disturbing_share || all < six_ticks;
    if ((row.time.interval && !is_hidden) || !is_disturbed(job) ||
        std::ranges::any_of(row.runs, would_show)) {
        return {};
    }
    return fmt::format(
        "during the whole job {}; the runs of this row are too short to show whether they were "
        "slowed",
        describe_load(job.others_share.value_or(0), job.stolen_share.value_or(0)));
}

// "the GPU was at its power limit in 4 of 6 runs (for 31% of their time)"; empty if no run was.
std::string describe_held_back(std::span<const Run> runs) {
    constexpr std::pair<std::optional<double> RunConditions::*, const char*> reasons[] = {
        {&RunConditions::power_capped_share, "the GPU was at its power limit"},
        {&RunConditions::thermally_slowed_share, "the GPU was too hot, and slowed down"},
        {&RunConditions::power_braked_share, "the power supply slowed the GPU down"}};
    std::string text;
    for (const auto& [share, reason] : reasons) {
        std::vector<Run> held_back;
        std::ranges::copy_if(runs, std::back_inserter(held_back), [key = share](const Run& run) {
            return (run.conditions.*key).value_or(0) >= disturbing_share;
        });
        if (!held_back.empty()) {
            text += fmt::format("{}{} in {} of {} runs (for {:.0f}% of their time)",
                                text.empty() ? "" : "; ", reason, held_back.size(), runs.size(),
                                100 * *share_of(held_back, share));
        }
    }
    return text;
}

// Empty if the library that decides the limit comes near the hardware's peak, or if that is
// unknown.
std::string describe_slow_library(const Limit& limit) {
    const LimitComponent& decisive = slowest(limit.components);
    const double share = decisive.hardware / decisive.seconds;
    if (share == 0 || share >= least_of_hardware) {
        return {};
    }
    return fmt::format(
        "the limit is too low: {} has {:.0f}% of the FMA peak; is there a library, or "
        "a setting of it, for this processor?",
        decisive.name, 100 * share);
}

bool is_judged(const Row& row) {
    return row.error.empty() && !row.name.is_of_paper_clock() && !row.runs.empty();
}

std::vector<Flag> flags_of(const Row& row, const RunConditions& job) {
    std::vector<Flag> flags;
    const auto add = [&](FlagKind kind, std::string text) {
        if (!text.empty()) {
            flags.push_back({kind, std::move(text)});
        }
    };
    add(FlagKind::disturbed, describe_disturbance(row.runs));
    if (flags.empty()) {
        add(FlagKind::disturbed, describe_load_of_job(row, job));
    }
    const double spread = row.time.spread();
    const double limit_spread = row.limit ? row.limit->spread : 0;
    if (spread > unsteady_share) {
        add(FlagKind::unsteady,
            fmt::format(
                "the runs differ: the middle half of their times spans {:.0f}% of the median",
                100 * spread));
    } else if (limit_spread > useless_limit_spread) {
        add(FlagKind::unsteady,
            fmt::format(
                "the times of its limit differ: their middle half spans {:.0f}% of the median",
                100 * limit_spread));
    }
    if (flags.empty() && row.limit) {
        add(FlagKind::slow_library, describe_slow_library(*row.limit));
    }
    if (row.fraction_of_limit().value_or(0) > implausible_fraction) {
        const bool is_sound = flags.empty() && describe_held_back(row.runs).empty();
        add(FlagKind::above_limit,
            fmt::format("above its limit: a cache helps, memory was slower while the limit was "
                        "measured, or by chance{}",
                        is_sound ? "; quote the rate, not the fraction" : ""));
    }
    add(FlagKind::held_back, describe_held_back(row.runs));
    return flags;
}

}  // namespace

bool is_disturbed(const RunConditions& conditions) {
    return disturbs(conditions.others_share, conditions.node_cores, conditions.window) ||
           disturbs(conditions.stolen_share, conditions.rank_cores, conditions.window);
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

void flag_rows(std::span<Row> rows, const RunConditions& job) {
    for (Row& row : rows) {
        row.flags = is_judged(row) ? flags_of(row, job) : std::vector<Flag>{};
    }
    for (Row& row : rows) {
        if (row.name.is_of_paper_clock()) {  // its runs are those of the row of the whole run
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
                count == 1 ? ""
                           : fmt::format(" (the first of {} such rows among {} measured ones)",
                                         count, judged);
            warnings.push_back(
                fmt::format("{}{}: {}{}", mark, first->name.text(), said->text, others));
        }
    }
    return warnings;
}

}  // namespace quartet::bench
