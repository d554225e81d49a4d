#pragma once

#include <string>

#include "bench/program/session.hpp"

namespace quartet::bench {

/// Throws UsageError, on all ranks alike and before anything is allocated, where a planned case
/// needs more than --memory allows or than a node has. A case that needs more than its /dev/shm
/// holds is refused alone, since other transports do without; where that refuses all of them, that
/// too is a UsageError. Collective.
void require_memory(Session& session);

/// What --dry-run prints: ranks, roles, each case with its memory per rank and node, and the
/// estimated time, which ends in a line of its own ("estimated time: 12.3 s"). Collective.
std::string describe_plan(Session& session);

/// What --list prints: the devices, formulations and transports that can run here, and why the
/// rest cannot. Collective.
std::string describe_choices(Session& session);

}  // namespace quartet::bench
