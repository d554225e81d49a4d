#pragma once

#include <span>
#include <vector>

#include "bench/results/row.hpp"
#include "bench/session/session.hpp"

namespace quartet::bench {

/// The time of an empty run: the timer, the stream's synchronisation, and the barrier that begins
/// it, which ranks leave one after the other. The median of some tries. Collective.
Seconds empty_run(Session& session);

/// The times of one rank in a run.
struct RankTimes {
    Seconds real;
    Seconds cpu;
    PhaseSeconds phases{};
};

/// The slowest rank of each role, by the ranks' seconds and their phases, one rank's after the
/// other's; nothing if all ranks work. Local.
std::vector<RolePhases> slowest_by_role(const comm::Roles& roles, std::span<const double> seconds,
                                        std::span<const double> phases);

/// Sets times and phases of `run`: those of the rank that took longest, and of each role's, and
/// each clock's longest on any rank. Up to most_ranks_listed ranks it lists them all. Collective.
void set_slowest(Run& run, const Session& session, const comm::Roles& roles, const RankTimes& mine,
                 std::vector<double> clocks);

/// Adds what the same run took in a job before, which is the same on all ranks. Local.
void add_earlier(Run& run, const EarlierTime& earlier);

}  // namespace quartet::bench
