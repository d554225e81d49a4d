#include "bench/results/row.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "bench/results/samples.hpp"

namespace quartet::bench {

std::string RowName::text() const {
    std::string text = fmt::format("{}/{}/{}/{}", kernel, name(variant.formulation), variant.device,
                                   variant.transport);
    for (const Word& word : words) {
        text += fmt::format("/{}", word.text);
    }
    text += fmt::format("/{}:{}", size_key, size);
    for (const auto& [key, value] : factors) {
        text += fmt::format("/{}:{}", key, value);
    }
    text += fmt::format("/ranks:{}/threads:{}", ranks, threads);
    return suffix.empty() ? text : fmt::format("{}/{}", text, suffix);
}

RowName RowName::with_suffix(std::string text) const {
    RowName other = *this;
    other.suffix = std::move(text);
    return other;
}

std::string_view name(RateUnit unit) {
    return unit == RateUnit::gflops ? "GFLOP/s" : "MiB/s";
}

double Work::rate(Seconds time) const {
    if (time.value <= 0) {
        return 0;
    }
    return unit == RateUnit::gflops ? flops.value / time.value / 1e9
                                    : static_cast<double>(bytes.value) /
                                          static_cast<double>(mebibytes(1).value) / time.value;
}

std::vector<double> times(const std::vector<Run>& runs) {
    std::vector<double> times;
    std::ranges::transform(runs, std::back_inserter(times),
                           [](const Run& run) { return run.real.value; });
    return times;
}

std::optional<double> Row::fraction_of_limit() const {
    if (!limit || runs.empty()) {
        return std::nullopt;
    }
    return limit->seconds.value / median(times());
}

std::optional<double> Row::fraction_of_all_ranks() const {
    const LimitComponent* part = limit && !runs.empty() ? limit->on_some_ranks() : nullptr;
    return part ? std::optional(part->all_ranks.value / median(times())) : std::nullopt;
}

std::string Row::beside_limit() const {
    std::string text;
    const auto say = [&](const std::string& more) { text += (text.empty() ? "" : "; ") + more; };
    for (const LimitComponent& part : limit ? limit->components : std::vector<LimitComponent>{}) {
        if (part.hardware > Seconds{}) {
            say(fmt::format("{} has {:.0f}% of the FMA peak", part.name,
                            100 * (part.hardware / part.seconds)));
        }
    }
    if (const auto fraction = fraction_of_all_ranks()) {
        const LimitComponent& part = *limit->on_some_ranks();
        say(
            fmt::format("{} is on {} of {} ranks: all would allow {:.4g} {}, of which this is "
                        "{:.0f}%",
                        part.name, part.ranks, name.ranks, work.rate(part.all_ranks),
                        bench::name(work.unit), 100 * *fraction));
    }
    return text;
}

std::optional<Interval> Row::fraction_interval() const {
    std::vector<double> fractions;
    for (const Run& run : runs) {
        if (run.limit_seconds && run.real > Seconds{}) {
            fractions.push_back(*run.limit_seconds / run.real.value);
        }
    }
    const auto whole = fraction_of_limit();
    auto interval = fractions.empty() ? std::nullopt : summarise(fractions).interval;
    if (interval && whole) {
        interval = Interval{std::min(interval->lower, *whole), std::max(interval->upper, *whole)};
    }
    return interval;
}

bool Row::is_above_limit() const {
    constexpr double implausible_fraction = 1.05;
    const auto interval = fraction_interval();
    return fraction_of_limit().value_or(0) > implausible_fraction &&
           (!interval || interval->lower > 1);
}

double Row::overhead_share() const {
    const double run = runs.empty() ? 0 : median(times());
    return run > 0 ? overhead.value / run : 0;
}

bool Row::distrusted() const {
    return std::ranges::any_of(flags, [](const Flag& flag) { return distrusts(flag.kind); });
}

std::string_view Row::mark() const {
    const bool is_above = std::ranges::any_of(
        flags, [](const Flag& flag) { return flag.kind == FlagKind::above_limit; });
    return distrusted() ? "?" : is_above ? "!" : "";
}

void RankSummary::add(double seconds) {
    for (double* figure : {&mean, &minimum, &p25, &p50, &p75, &p99, &maximum}) {
        *figure += seconds;
    }
    for (Slow& slow : slowest) {
        slow.seconds += seconds;
    }
}

RankSummary summary_of_ranks(std::span<const double> seconds,
                             const std::function<std::string(int)>& host_of) {
    constexpr std::ptrdiff_t most_slowest = 16;
    check(!seconds.empty(), "seconds of no ranks");
    std::vector<int> order(seconds.size());
    std::iota(order.begin(), order.end(), 0);
    const auto of = [&](int rank) { return seconds[static_cast<std::size_t>(rank)]; };
    std::ranges::stable_sort(order, std::ranges::greater{}, of);
    const auto at = [&](double share) {
        const double place = std::ceil(share * static_cast<double>(order.size()));
        return of(order[order.size() - static_cast<std::size_t>(std::max(place, 1.0))]);
    };
    RankSummary summary{.ranks = static_cast<int>(order.size()),
                        .mean = std::accumulate(seconds.begin(), seconds.end(), 0.0) /
                                static_cast<double>(order.size()),
                        .minimum = of(order.back()),
                        .p25 = at(0.25),
                        .p50 = at(0.5),
                        .p75 = at(0.75),
                        .p99 = at(0.99),
                        .maximum = of(order.front()),
                        .slowest = {}};
    for (const int rank : std::span(order).first(
             static_cast<std::size_t>(std::min(most_slowest, std::ssize(order))))) {
        summary.slowest.push_back({rank, host_of(rank), of(rank)});
    }
    return summary;
}

}  // namespace quartet::bench
