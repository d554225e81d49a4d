#include "bench/program/rank_roles.hpp"

#include <algorithm>

namespace quartet::bench {

namespace {

bool has(const Session& session, int rank, comm::Role role) {
    const auto in = [&](const PlannedCase& planned) {
        return (planned.roles ? planned.roles->of(rank) : comm::Role::worker) == role;
    };
    return session.plan().empty() ? role == comm::Role::worker
                                  : std::ranges::any_of(session.plan(), in);
}

}  // namespace

std::string role_of(const Session& session, int rank) {
    if (!has(session, rank, comm::Role::reducer)) {
        return "worker";
    }
    return has(session, rank, comm::Role::worker) ? "worker or reducer" : "reducer";
}

int ranks_with(const Session& session, comm::Role role) {
    int count = 0;
    for (int rank = 0; rank < session.world().size(); ++rank) {
        count += has(session, rank, role) ? 1 : 0;
    }
    return count;
}

}  // namespace quartet::bench
