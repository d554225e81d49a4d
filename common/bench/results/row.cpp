#include "bench/results/row.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <iterator>
#include <numbers>
#include <numeric>

#include "core/nearest_word.hpp"

namespace quartet::bench {

std::string_view name(Formulation formulation) {
    constexpr std::array<std::string_view, 3> names{"native", "dataflow", "library"};
    return names.at(static_cast<std::size_t>(formulation));
}

std::vector<std::string> formulation_names() {
    std::vector<std::string> names;
    for (const Formulation formulation : all_formulations) {
        names.emplace_back(name(formulation));
    }
    return names;
}

Formulation parse_formulation(std::string_view word) {
    const auto found = std::ranges::find(all_formulations, word,
                                         [](Formulation formulation) { return name(formulation); });
    if (found == all_formulations.end()) {
        throw UsageError(not_one_of(word, formulation_names()));
    }
    return *found;
}

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
    const auto summary_of = [this](const auto& time_in) {
        std::vector<double> times;
        std::ranges::transform(probes, std::back_inserter(times), time_in);
        return Summary::of(times);
    };
    const Summary slowest_times =
        summary_of([](const auto& one) { return slowest(one).seconds.value; });
    seconds = {slowest_times.median};
    spread = slowest_times.spread();
    for (std::size_t index = 0; index < components.size(); ++index) {
        for (Seconds LimitComponent::*time :
             {&LimitComponent::seconds, &LimitComponent::hardware, &LimitComponent::all_ranks}) {
            components[index].*time = {
                summary_of([&](const auto& one) { return (one[index].*time).value; }).median};
        }
    }
}

std::string Limit::what() const {
    std::string text = components.size() < 2    ? ""
                       : components.size() == 2 ? "slower of "
                                                : "slowest of ";
    for (std::size_t index = 0; index < components.size(); ++index) {
        const bool is_last = index + 1 == components.size();
        text += (index == 0 ? "" : is_last ? " and " : ", ") + components[index].name;
    }
    return text;
}

const LimitComponent* Limit::on_some_ranks() const {
    const auto found = std::ranges::find_if(components, [](const LimitComponent& component) {
        return component.all_ranks > Seconds{};
    });
    return found == components.end() ? nullptr : &*found;
}

std::optional<std::pair<int, int>> median_interval_ranks(int values) {
    constexpr double tail = 0.025;
    // Terms of the binomial distribution by their logarithms, as n may be in the thousands.
    const auto term = [values](int k) {
        return std::exp(std::lgamma(values + 1.0) - std::lgamma(k + 1.0) -
                        std::lgamma(values - k + 1.0) - values * std::numbers::ln2);
    };
    int k = 0;
    double below = term(0);
    while (below <= tail && k < values) {
        ++k;
        below += term(k);
    }
    if (k == 0) {
        return std::nullopt;
    }
    return std::pair(k, values + 1 - k);
}

Summary Summary::of(std::span<const double> values) {
    check(!values.empty(), "statistics of an empty sample");
    std::vector<double> sorted(values.begin(), values.end());
    std::ranges::sort(sorted);
    const auto count = static_cast<double>(sorted.size());
    const std::size_t half = sorted.size() / 2;
    const std::size_t quarter = sorted.size() / 4;
    Summary summary;
    summary.median = sorted.size() % 2 == 1 ? sorted[half] : (sorted[half - 1] + sorted[half]) / 2;
    summary.mean = std::accumulate(sorted.begin(), sorted.end(), 0.0) / count;
    summary.minimum = sorted.front();
    summary.maximum = sorted.back();
    summary.middle_half = sorted[sorted.size() - 1 - quarter] - sorted[quarter];
    double squares = 0;
    for (const double value : sorted) {
        squares += (value - summary.mean) * (value - summary.mean);
    }
    summary.stddev = sorted.size() > 1 ? std::sqrt(squares / (count - 1)) : 0;
    if (const auto ranks = median_interval_ranks(static_cast<int>(sorted.size()))) {
        summary.interval = Interval{sorted[static_cast<std::size_t>(ranks->first - 1)],
                                    sorted[static_cast<std::size_t>(ranks->second - 1)]};
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
    check->tolerance = of_a_run.tolerance;
    check->precision = of_a_run.precision;
    if (check->why.empty()) {
        check->why = of_a_run.why;
    }
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
    for (const LimitComponent& part : limit ? limit->components : std::vector<LimitComponent>{}) {
        if (part.hardware > Seconds{}) {
            text += fmt::format("{}{} has {:.0f}% of the FMA peak", text.empty() ? "" : "; ",
                                part.name, 100 * (part.hardware / part.seconds));
        }
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
