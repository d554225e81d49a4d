#include "bench/report/cluster.hpp"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <algorithm>

namespace quartet::bench {

namespace {

std::string counted(int count, const char* what) {
    return fmt::format("{} {}{}", count, what, count == 1 ? "" : "s");
}

comm::Roles roles_in(const PlannedCase& planned, const Session& session) {
    return planned.roles.value_or(comm::Roles::all_workers(session.world().size()));
}

std::string describe_rank(const Session& session, const comm::Roles& roles, int rank,
                          std::optional<int> gpu) {
    const comm::Placement& place = session.topology().of(rank);
    std::string text =
        fmt::format("  {:<7} {}: rank {} on {}, cpus {}", name(roles.of(rank)),
                    roles.index_of(rank), rank, place.host, comm::format_cpus(place.cpus));
    if (gpu) {
        const Gpu& its = session.gpus().all()[static_cast<std::size_t>(*gpu)];
        text += fmt::format(", GPU {} {}", its.name, its.uuid);
        if (!its.numa_nodes.empty()) {
            text += " at NUMA node " + comm::format_cpus(its.numa_nodes);
        }
    }
    return text + "\n";
}

bool has(const Session& session, int rank, comm::Role role) {
    const auto in = [&](const PlannedCase& planned) {
        return roles_in(planned, session).of(rank) == role;
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

std::vector<std::optional<int>> gpus_of_ranks(const Session& session) {
    std::vector<std::optional<int>> found(static_cast<std::size_t>(session.world().size()));
    const std::vector<Gpu>& gpus = session.gpus().all();
    for (std::size_t gpu = 0; gpu < gpus.size(); ++gpu) {
        for (const int rank : gpus[gpu].ranks) {
            found[static_cast<std::size_t>(rank)] = static_cast<int>(gpu);
        }
    }
    return found;
}

std::vector<Cluster> clusters(const Session& session) {
    std::vector<Cluster> all;
    for (const PlannedCase& planned : session.plan()) {
        const comm::Roles roles = roles_in(planned, session);
        const Formulation formulation = planned.name.variant.formulation;
        const auto alike = std::ranges::find_if(
            all, [&](const Cluster& other) { return other.roles.reducers() == roles.reducers(); });
        if (alike == all.end()) {
            all.push_back({roles, {formulation}});
        } else if (std::ranges::find(alike->formulations, formulation) ==
                   alike->formulations.end()) {
            alike->formulations.push_back(formulation);
        }
    }
    return all;
}

std::string describe_clusters(const Session& session) {
    const int ranks = session.world().size();
    std::string text = fmt::format("{} on {}, {} each\n", counted(ranks, "rank"),
                                   counted(session.topology().nodes(), "node"),
                                   counted(session.threads(), "thread"));
    const auto gpus = gpus_of_ranks(session);
    for (const Cluster& cluster : clusters(session)) {
        std::string whose;
        for (const Formulation formulation : cluster.formulations) {
            whose += fmt::format("{}{}", whose.empty() ? "" : ", ", name(formulation));
        }
        text += fmt::format("{}: {}, {}\n", whose, counted(cluster.roles.reducers(), "reducer"),
                            counted(cluster.roles.workers(), "worker"));
        for (int rank = 0; rank < ranks; ++rank) {
            text +=
                describe_rank(session, cluster.roles, rank, gpus[static_cast<std::size_t>(rank)]);
        }
    }
    return text;
}

}  // namespace quartet::bench
