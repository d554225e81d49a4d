#pragma once

#include <string>

#include "bench/program/session.hpp"
#include "comm/topology/roles.hpp"

namespace quartet::bench {

/// What a rank does in the planned cases, which may give it different roles: "worker", "reducer" or
/// "worker or reducer". Local, the same on all ranks.
std::string role_of(const Session& session, int rank);

/// Ranks that have this role in any of the planned cases. Local, the same on all ranks.
int ranks_with(const Session& session, comm::Role role);

}  // namespace quartet::bench
