#pragma once

#include <string>

#include "bench/program/session.hpp"
#include "comm/topology/roles.hpp"

namespace quartet::bench {

/// A rank's role in the planned cases: "worker", "reducer", or "worker or reducer" where cases
/// differ. Local; the same on all ranks.
std::string role_of(const Session& session, int rank);

/// How many ranks have this role in any of the planned cases. Local; the same on all ranks.
int ranks_with(const Session& session, comm::Role role);

}  // namespace quartet::bench
