#include "cg/flow_solver.hpp"

#include "cg/flow_iteration.hpp"
#include "comm/large_count.hpp"

namespace quartet::cg {

namespace {

device::RowBlock row_block(const Problem& problem, const comm::Roles& roles, int rank) {
    const Range rows = problem.rows(roles, rank);
    return {rows.begin, rows.size(), problem.size};
}

// Before there are windows: they could not be freed while an exception unwinds.
comm::Transport& require_usable(const bench::Session& session, const device::Device& device,
                                comm::Transport& transport) {
    flow::require_queues(transport);
    if (device.name() != "host") {
        throw Unavailable("not available in this build: cg's data flow on " +
                          std::string(device.name()) + ": use --device host");
    }
    check(session.world().size() > 1, "a data flow has a reducer and a worker");
    return transport;
}

}  // namespace

SolverMemory FlowSolver::memory(const device::Device& device, const Problem& problem,
                                const comm::Roles& roles, int rank, int bound) {
    const Bytes whole = bytes_of<double>(problem.size);
    const Bytes piece = bytes_of<double>(problem.largest_rows(roles));
    if (roles.of(rank) == comm::Role::reducer) {
        const Bytes pieces = std::min(bound, roles.workers()) * piece;
        const Bytes copies = roles.workers() * whole;
        return {whole + pieces + copies, copies};
    }
    const Bytes rows = bytes_of<double>(problem.rows(roles, rank).size());
    return {device.matrix_memory(row_block(problem, roles, rank)) + 4 * rows + piece + whole,
            piece};
}

FlowSolver::FlowSolver(bench::Session& session, comm::Transport& transport, const Problem& problem,
                       const comm::Roles& roles)
    : world_(session.world()),
      size_(problem.size),
      hub_(session.world(), &session.trace().track("queue")) {
    require_usable(session, session.device(), transport);
    for (int rank = 0; rank < roles.ranks(); ++rank) {
        bytes_.push_back(bytes_of<double>(problem.rows(roles, rank).size()).value);
    }
    if (roles.of(world_.rank()) == comm::Role::worker) {
        share_ = session.device().make_matrix(row_block(problem, roles, world_.rank()));
    }
    iteration_ =
        std::make_unique<FlowIteration>(session, transport, hub_, problem, roles, share_.get());
}

std::vector<double> FlowSolver::whole(device::View<const double> rows) {
    std::vector<double> all(static_cast<std::size_t>(size_));
    comm::all_gather_bytes(std::as_bytes(rows.span()), std::as_writable_bytes(std::span(all)),
                           comm::RankCounts(bytes_), world_.handle());
    return all;
}

}  // namespace quartet::cg
