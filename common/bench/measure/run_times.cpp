#include "bench/measure/run_times.hpp"

#include <algorithm>
#include <iterator>
#include <utility>

#include "bench/results/samples.hpp"

namespace quartet::bench {

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

void set_slowest(Run& run, const Session& session, const RankTimes& mine,
                 std::vector<double> clocks) {
    const comm::Communicator& world = session.world();
    std::vector<double> seconds = world.gather(mine.real.value);
    const auto last = static_cast<std::size_t>(std::ranges::max_element(seconds) - seconds.begin());
    run.real = {seconds[last]};
    // A row keeps all of its runs, on all ranks: what a run keeps must not grow with the ranks.
    if (world.size() > most_ranks_listed) {
        run.rank_summary = summary_of_ranks(
            seconds, [&session](int rank) { return session.topology().of(rank).host; });
    } else {
        run.rank_seconds = std::move(seconds);
    }
    run.cpu = {world.gather(mine.cpu.value)[last]};
    const auto all_phases = world.gather(std::span<const double>(mine.phases));
    std::copy_n(all_phases.begin() + static_cast<std::ptrdiff_t>(last * phase_count), phase_count,
                run.phases.begin());
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
}

}  // namespace quartet::bench
