#pragma once

#include <functional>
#include <optional>
#include <span>
#include <vector>

#include "bench/session.hpp"

namespace quartet::bench {

/// Told, on every rank, before each run of a case: runs done so far, and how many there will be
/// (0 where that depends on --ci).
using OnRun = std::function<void(int done, int total)>;

/// What the hypervisor has taken of these processors' time, since some beginning.
using StolenClock = std::function<std::optional<Seconds>(std::span<const int> processors)>;
/// comm::stolen_time of this machine.
std::optional<Seconds> stolen_here(std::span<const int> processors);

/// Runs one case as the options say and returns its rows: the whole, where it is reported, and
/// those of its clocks. Each run stands between two probes of the limit: on a shared machine the
/// rate of memory changes within seconds. A case that throws Unavailable, or is stopped, becomes an
/// error row.
/// Collective; rows are complete on rank 0, whether they are verified is known on all.
std::vector<Row> measure(Session& session, const PlannedCase& planned, const OnRun& on_run,
                         const StolenClock& stolen = stolen_here);

}  // namespace quartet::bench
