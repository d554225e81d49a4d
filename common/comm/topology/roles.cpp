#include "comm/topology/roles.hpp"

#include <fmt/format.h>

#include <numeric>

#include "core/check.hpp"

namespace quartet::comm {

std::string_view name(Role role) {
    return role == Role::reducer ? "reducer" : "worker";
}

Roles Roles::all_workers(int ranks) {
    check(ranks >= 1, "a job has at least one rank");
    return {ranks, 0};
}

Roles Roles::with_reducers(int ranks, int reducers) {
    if (reducers < 0) {
        throw UsageError(fmt::format("{} reducers (there can be no fewer than 0)", reducers));
    }
    if (reducers >= ranks) {
        throw UsageError(
            fmt::format("{} reducers on {} ranks (no worker would be left): start at least {} "
                        "ranks, or lower --reducers",
                        reducers, ranks, static_cast<std::int64_t>(reducers) + 1));
    }
    return {ranks, reducers};
}

Role Roles::of(int rank) const {
    check(rank >= 0 && rank < ranks_, "no such rank");
    return rank < reducers_ ? Role::reducer : Role::worker;
}

std::vector<int> Roles::worker_ranks() const {
    std::vector<int> ranks(static_cast<std::size_t>(workers()));
    std::iota(ranks.begin(), ranks.end(), worker_rank(0));
    return ranks;
}

int Roles::index_of(int rank) const {
    return of(rank) == Role::reducer ? rank : rank - reducers_;
}

}  // namespace quartet::comm
