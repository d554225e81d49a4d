#pragma once

#include <string>

#include "bench/session/session.hpp"

namespace quartet::bench {

/// Constructs each planned case over an arena that plans: fills in `needs` and `unavailable`. Makes
/// the transports. Collective. Throws UsageError, on all ranks alike.
void find_needs(Session& session);

/// Throws UsageError, on all ranks alike and before anything is allocated, if a planned case
/// needs more memory than --memory allows or than a node has. Collective.
void require_memory(Session& session);

/// What --dry-run prints: ranks, roles, each case with its memory per rank and node, and the
/// estimated time, which ends in a line of its own ("estimated time: 12.3 s"). Collective.
std::string describe_plan(Session& session);

/// What --list prints: the devices, formulations and transports that can run here, and why the
/// rest cannot. Collective.
std::string describe_choices(Session& session);

/// A text for people: how the ranks are divided into roles in the planned cases, then for each rank
/// its role, index within the role, host, CPUs and GPU. Local; names of GPUs are on rank 0 alone.
std::string describe_clusters(const Session& session);

}  // namespace quartet::bench
