#include "bench/program/forecast.hpp"

#include <algorithm>

#include "bench/measure/probes.hpp"

namespace quartet::bench {

namespace {

// Seconds for each byte.
double traffic_cost(Session& session) {
    MemoryProbe probe(session.device(), AccessPattern::add, mebibytes(16));
    const int passes = probe.passes_for(probe_time, 1000, session.stream());
    return probe.measure(passes, session.stream()).value /
           static_cast<double>(probe.traffic().value);
}

// Seconds for each operation of matrix products; 0 if the cases have none.
double product_cost(Session& session) {
    const auto multiplies = [](const PlannedCase& planned) { return planned.products > Flops{}; };
    if (std::ranges::none_of(session.plan(), multiplies)) {
        return 0;
    }
    SgemmProbe probe(session.device(), 512);
    probe.measure(session.stream());  // the first one finds cold caches
    return probe.measure(session.stream()).value / probe.flops().value;
}

}  // namespace

Forecast::Forecast(const std::vector<Expected>& cases, std::optional<Seconds> budget)
    : budget_(budget) {
    for (const Expected& expected : cases) {
        cases_.push_back({.expected = expected});
    }
    end_ = expected_end(Seconds{});
}

void Forecast::begin_run(std::size_t index, Seconds elapsed) {
    Progress& one = cases_[index];
    made_ = made_ + running_;
    running_ = one.begun == 0 ? one.expected.first_run : one.expected.later_run;
    ++one.begun;
    end_ = expected_end(elapsed);
}

Seconds Forecast::expected_end(Seconds elapsed) const {
    Seconds first = running_;
    Seconds later;
    for (const auto& [expected, begun] : cases_) {
        first = first + (begun == 0 ? expected.first_run : Seconds{});
        later = later + std::max(0, expected.runs - std::max(begun, 1)) * expected.later_run;
    }
    const double pace = made_ > Seconds{} ? elapsed / made_ : 1;
    const Seconds all = elapsed + pace * (first + later);
    return budget_ ? std::min(all, std::max(*budget_, elapsed + pace * first)) : all;
}

Forecast forecast(Session& session) {
    constexpr int automatic_runs = 20;
    const CommonOptions& options = session.options();
    const double byte = traffic_cost(session);
    const double product = product_cost(session);
    const auto of_slowest = [&](Seconds time) {
        return Seconds{session.world().maximum(time.value)};
    };
    std::vector<Forecast::Expected> cases;
    for (const PlannedCase& planned : session.plan()) {
        const Runs runs = runs_of(planned, options.runs);
        const Seconds run{static_cast<double>(planned.traffic.value) * byte +
                          planned.products.value * product};
        const bool is_warmed_again =
            options.limits == Switch::on && runs.warmup > 0 && run < probe_time;
        const Seconds probe =
            options.limits == Switch::on ? probe_time_beside(run, planned.probe_share) : Seconds{};
        const Seconds later = run + probe + (is_warmed_again ? run : Seconds{});
        cases.push_back({.first_run = of_slowest(later + probe + runs.warmup * run),
                         .later_run = of_slowest(later),
                         .runs = runs.count.value_or(automatic_runs)});
    }
    return {cases, options.budget};
}

}  // namespace quartet::bench
