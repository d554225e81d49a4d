#include "bench/results/row.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <iterator>
#include <numeric>

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

void LimitComponent::extend(int some, int all) {
    if (some < all) {
        ranks = some;
        all_ranks = {seconds.value * some / all};
    }
}

const LimitComponent& slowest(std::span<const LimitComponent> components) {
    return *std::ranges::max_element(
        components, {}, [](const LimitComponent& component) { return component.seconds.value; });
}

void Limit::add(std::vector<LimitComponent> probe) {
    check(!probe.empty(), "a limit without a component");
    check(probes.empty() || std::ranges::equal(probe, probes.front(), {}, &LimitComponent::name,
                                               &LimitComponent::name),
          "probes of different limits");
    probes.push_back(std::move(probe));
    components = probes.front();
    const auto median_of = [this](const auto& time_in) {
        std::vector<double> times;
        std::ranges::transform(probes, std::back_inserter(times), time_in);
        return Seconds{Summary::of(times).median};
    };
    seconds = median_of([](const auto& one) { return slowest(one).seconds.value; });
    for (std::size_t index = 0; index < components.size(); ++index) {
        for (Seconds LimitComponent::*time :
             {&LimitComponent::seconds, &LimitComponent::hardware, &LimitComponent::all_ranks}) {
            components[index].*time =
                median_of([&](const auto& one) { return (one[index].*time).value; });
        }
    }
}

std::string Limit::what() const {
    std::string text;
    for (std::size_t index = 0; index < components.size(); ++index) {
        const bool is_last = index + 1 == components.size();
        text += (index == 0 ? "" : is_last ? " and " : ", ") + components[index].name;
    }
    return components.size() < 2    ? text
           : components.size() == 2 ? "slower of " + text
                                    : "slowest of " + text;
}

const LimitComponent* Limit::on_some_ranks() const {
    const auto found = std::ranges::find_if(components, [](const LimitComponent& component) {
        return component.all_ranks > Seconds{};
    });
    return found == components.end() ? nullptr : &*found;
}

void RankSummary::add(double seconds) {
    for (double* figure : {&mean, &minimum, &p25, &p50, &p75, &p99, &maximum}) {
        *figure += seconds;
    }
    for (Slow& slow : slowest) {
        slow.seconds += seconds;
    }
}

RankSummary RankSummary::of(std::span<const double> seconds,
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
                        .mean = Summary::of(seconds).mean,
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

std::string_view name(FlagKind kind) {
    constexpr std::array<std::string_view, all_flag_kinds.size()> names{
        "disturbed", "unsteady", "slow_library", "above_limit", "held_back"};
    return names.at(static_cast<std::size_t>(kind));
}

void Row::add(Run run) {
    runs.push_back(std::move(run));
    std::vector<double> seconds;
    std::ranges::transform(runs, std::back_inserter(seconds),
                           [](const Run& one) { return one.real.value; });
    time = Summary::of(seconds);
}

void Row::add(const Check& of_a_run) {
    if (!check) {
        check = of_a_run;
        return;
    }
    const bool larger = !std::isnan(check->error) && !(of_a_run.error <= check->error);
    if (of_a_run.passed == check->passed ? larger : check->passed) {
        check->error = of_a_run.error;
    }
    check->passed = check->passed && of_a_run.passed;
    check->input_changed = check->input_changed || of_a_run.input_changed;
    check->tolerance = of_a_run.tolerance;
    check->precision = of_a_run.precision;
    check->why = of_a_run.why;
}

std::optional<double> Row::fraction_of_limit() const {
    return limit && !runs.empty() ? std::optional(limit->seconds.value / time.median)
                                  : std::nullopt;
}

std::optional<double> Row::fraction_of_all_ranks() const {
    const LimitComponent* part = limit && !runs.empty() ? limit->on_some_ranks() : nullptr;
    return part ? std::optional(part->all_ranks.value / time.median) : std::nullopt;
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
    auto interval = fractions.empty() ? std::nullopt : Summary::of(fractions).interval;
    if (interval && whole) {
        interval = Interval{std::min(interval->lower, *whole), std::max(interval->upper, *whole)};
    }
    return interval;
}

bool Row::distrusted() const {
    return std::ranges::any_of(flags, [](const Flag& flag) { return distrusts(flag.kind); });
}

std::string_view Row::mark() const {
    const bool is_above = std::ranges::any_of(
        flags, [](const Flag& flag) { return flag.kind == FlagKind::above_limit; });
    return distrusted() ? "?" : is_above ? "!" : "";
}

}  // namespace quartet::bench
