#include "bench/measure/run_times.hpp"

#include <algorithm>
#include <iterator>
#include <utility>

#include "bench/results/samples.hpp"

namespace quartet::bench {

namespace {

PhaseSeconds phases_of(std::span<const double> phases, std::size_t rank) {
    PhaseSeconds its{};
    std::ranges::copy(phases.subspan(rank * phase_count, phase_count), its.begin());
    return its;
}

}  // namespace

Seconds empty_run(Session& session) {
    constexpr int tries = 21;
    std::vector<double> seconds;
    for (int run = 0; run < tries; ++run) {
        session.world().barrier();
        const Seconds begin = now();
        session.world().barrier();
        session.stream().synchronize();
        seconds.push_back((now() - begin).value);
    }
    return {session.world().maximum(median(seconds))};
}

std::vector<RolePhases> slowest_by_role(const comm::Roles& roles, std::span<const double> seconds,
                                        std::span<const double> phases) {
    if (roles.reducers() == 0) {
        return {};
    }
    const auto reducers = static_cast<std::size_t>(roles.reducers());
    std::vector<RolePhases> slowest;
    for (const auto& its : {seconds.first(reducers), seconds.subspan(reducers)}) {
        const auto last = std::ranges::max_element(its);
        const auto rank = static_cast<std::size_t>(&*last - seconds.data());
        slowest.push_back({roles.of(static_cast<int>(rank)), static_cast<int>(rank), *last,
                           phases_of(phases, rank)});
    }
    return slowest;
}

void set_slowest(Run& run, const Session& session, const comm::Roles& roles, const RankTimes& mine,
                 std::vector<double> clocks) {
    const comm::Communicator& world = session.world();
    std::vector<double> seconds = world.gather(mine.real.value);
    const auto last = static_cast<std::size_t>(std::ranges::max_element(seconds) - seconds.begin());
    const auto all_phases = world.gather(std::span<const double>(mine.phases));
    run.real = {seconds[last]};
    run.phases = phases_of(all_phases, last);
    run.roles = slowest_by_role(roles, seconds, all_phases);
    // A row keeps all of its runs, on all ranks: what a run keeps must not grow with the ranks.
    if (world.size() > most_ranks_listed) {
        run.rank_summary = summary_of_ranks(
            seconds, [&session](int rank) { return session.topology().of(rank).host; });
    } else {
        run.rank_seconds = std::move(seconds);
    }
    run.cpu = {world.gather(mine.cpu.value)[last]};
    world.maxima(clocks);
    std::ranges::transform(clocks, std::back_inserter(run.clocks),
                           [](double time) { return Seconds{time}; });
}

void add_earlier(Run& run, const EarlierTime& earlier) {
    run.real = run.real + earlier.real;
    run.cpu = run.cpu + earlier.cpu;
    for (double& seconds : run.rank_seconds) {
        seconds += earlier.real.value;
    }
    if (run.rank_summary) {
        run.rank_summary->add(earlier.real.value);
    }
    for (Seconds& clock : run.clocks) {  // they had begun, and not stopped
        clock = clock + earlier.real;
    }
    for (std::size_t phase = 0; phase < phase_count; ++phase) {
        run.phases[phase] += earlier.phases[phase];
    }
    if (earlier.real > Seconds{}) {
        run.roles.clear();  // of the job before only the slowest rank's are known
    }
}

}  // namespace quartet::bench
