#include "bench/measure/flag_rows.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "bench/measure/disturbance.hpp"
#include "bench/measure/drift.hpp"
#include "bench/measure/two_speeds.hpp"

namespace quartet::bench {

namespace {

constexpr double far_below = 0.5;
constexpr double least_overhead = 0.01;
// A BLAS with kernels for its processor has 0.8 and more; in registers half as wide, or with one of
// two multipliers, it has 0.5 at most.
constexpr double least_of_hardware = 0.6;

bool is_judged(const Row& row) {
    return row.error.empty() && !row.name.is_of_paper_clock() && !row.runs.empty();
}

double rate_of(const Row& row) {
    return row.work.rate({median(row.times())});
}

// What a model's row says of itself, beside which nothing about machines holds.
Flag flag_of_model(const Row& row) {
    return row.results == device::Results::simulated
               ? Flag{FlagKind::simulated,
                      "simulated: operations took what the machine's rates say, messages what "
                      "the simulator says; not a measurement"}
               : Flag{FlagKind::emulated,
                      "emulated: operations took what the machine's rates say and computed "
                      "nothing; only communication is real"};
}

// Empty where the library that decides the limit does what the hardware allows, or nothing is known
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
        "the limit is too low: {} has {:.0f}% of the processor's FMA peak; is there a library, or "
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
            "limit and rate disagree, usually a cache effect: do not quote this row");
    }
    if (const double share = row.overhead_share(); share > least_overhead) {
        add(FlagKind::overhead,
            fmt::format("the timer and the barrier take {:.0f}% of a run: it is too short for them",
                        100 * share));
    }
}

// Whether two rows differ in their sizes alone.
bool differ_in_size(const Row& one, const Row& other) {
    RowName name = one.name;
    name.size = other.name.size;
    return one.name.size != other.name.size && name.text() == other.name.text();
}

double size_of(const Row& row) {
    return row.work.unit == RateUnit::gflops ? row.work.flops.value
                                             : static_cast<double>(row.work.bytes.value);
}

// By fractions of the limit, since caches make small sizes faster.
bool is_far_below(const Row& row, const Row& other) {
    const auto mine = row.fraction_of_limit();
    const auto others = other.fraction_of_limit();
    return mine && others && *mine < far_below * *others;
}

// The smallest size has no neighbour that says what it should be: its runs are short. A neighbour
// that is itself far below its own says nothing.
void flag_beside_neighbours(std::span<Row> rows) {
    std::vector<Row*> by_size;
    for (Row& row : rows) {
        if (is_judged(row) && row.results == device::Results::computed) {
            by_size.push_back(&row);
        }
    }
    std::ranges::stable_sort(by_size, {}, [](const Row* row) { return size_of(*row); });
    for (auto row = by_size.begin(); row != by_size.end(); ++row) {
        const Row* smaller = nullptr;  // the nearest one
        for (auto other = by_size.begin(); other != row; ++other) {
            const bool fits = std::ranges::none_of((*other)->flags, [](const Flag& flag) {
                return flag.kind == FlagKind::below_neighbours;
            });
            smaller = fits && differ_in_size(**row, **other) ? *other : smaller;
        }
        if (smaller && is_far_below(**row, *smaller)) {
            (*row)->flags.push_back(
                {FlagKind::below_neighbours,
                 fmt::format("{:.0f}% of the limit, where size {} has {:.0f}%",
                             100 * *(*row)->fraction_of_limit(), smaller->name.size,
                             100 * *smaller->fraction_of_limit())});
        }
    }
}

void flag_beside_library(Row& row, std::span<const Row> rows) {
    for (const Row& other : rows) {
        if (is_judged(other) && is_library_of(row, other) &&
            rate_of(row) < far_below * rate_of(other)) {
            row.flags.push_back(
                {FlagKind::below_library, fmt::format("{:.0f}% of the library's rate",
                                                      100 * rate_of(row) / rate_of(other))});
        }
    }
}

}  // namespace

bool is_library_of(const Row& native, const Row& library) {
    return native.name.variant.formulation == Formulation::native &&
           library.name.variant.formulation == Formulation::library &&
           native.name.size == library.name.size && native.name.words == library.name.words &&
           native.name.suffix == library.name.suffix && native.work.flops == library.work.flops &&
           native.work.bytes == library.work.bytes;
}

void flag_rows(std::span<Row> rows) {
    const auto best_clock = best_clock_probe(rows);
    for (Row& row : rows) {
        row.flags.clear();
        if (row.results != device::Results::computed) {
            row.flags = {flag_of_model(row)};
        } else if (is_judged(row)) {
            flag_runs(row, best_clock);
            flag_beside_library(row, rows);
        }
    }
    flag_beside_neighbours(rows);
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
