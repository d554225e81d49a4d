#pragma once

#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <vector>

#include "bench/session/session.hpp"
#include "comm/topology/roles.hpp"

namespace quartet::bench {

/// A rank's role in the planned cases: "worker", "reducer", or "worker or reducer" where cases
/// differ. Local; the same on all ranks.
std::string role_of(const Session& session, int rank);

/// How many ranks have this role in any of the planned cases. Local; the same on all ranks.
int ranks_with(const Session& session, comm::Role role);

/// The index in session.gpus() of each rank's GPU. Local; the same on all ranks.
std::vector<std::optional<int>> gpus_of_ranks(const Session& session);

/// How the ranks are divided into roles, as in the paper's description of a cluster (II.A, III),
/// and which formulations divide them so.
struct Cluster {
    comm::Roles roles;
    std::vector<Formulation> formulations;
};

/// Each division that a planned case has, in the plan's order. Local; the same on all ranks.
std::vector<Cluster> clusters(const Session& session);

/// A text for people: each division, then for each rank its role, index within the role, host, CPUs
/// and GPU. Local; names of GPUs are on rank 0 alone.
std::string describe_clusters(const Session& session);

}  // namespace quartet::bench
