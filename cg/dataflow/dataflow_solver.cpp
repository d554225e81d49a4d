#include "cg/dataflow/dataflow_solver.hpp"

#include "cg/dataflow/dataflow_iteration.hpp"
#include "comm/mpi/large_count.hpp"
#include "device/matrix_factory.hpp"

namespace quartet::cg {

namespace {

device::RowBlock row_block(const Problem& problem, const comm::Roles& roles, int rank) {
    const Range rows = problem.rows(roles, rank);
    return {rows.begin, rows.size(), problem.size};
}

// Before there are windows: they could not be freed while an exception unwinds.
comm::Transport& require_usable(const bench::Session& session, comm::Transport& transport) {
    flow::require_queues(transport);
    check(session.world().size() > 1, "a data flow has a reducer and a worker");
    return transport;
}

}  // namespace

SolverMemory DataflowSolver::memory(const device::Device& device, const Problem& problem,
                                    const comm::Roles& roles, int rank, int bound) {
    const Bytes whole = bytes_of<double>(problem.size);
    const Bytes piece = bytes_of<double>(problem.largest_rows(roles));
    if (roles.of(rank) == comm::Role::reducer) {
        const Bytes pieces = std::min(bound, roles.workers()) * piece;
        const Bytes copies = roles.workers() * whole;
        return {.device = {}, .host = whole + pieces + copies, .windows = copies};
    }
    const Bytes rows = bytes_of<double>(problem.rows(roles, rank).size());
    const Bytes own_whole = has_own_memory(device) ? whole : Bytes{};
    return {.device = device.matrices().matrix_memory(row_block(problem, roles, rank)) + 4 * rows +
                      own_whole,
            .host = piece + whole,
            .windows = piece};
}

DataflowSolver::DataflowSolver(bench::Session& session, comm::Transport& transport,
                               const Problem& problem, const comm::Roles& roles)
    : world_(session.world()),
      device_(session.device()),
      stream_(session.stream()),
      size_(problem.size),
      hub_(session.world(), &session.trace().track("queue")) {
    require_usable(session, transport);
    for (int rank = 0; rank < roles.ranks(); ++rank) {
        bytes_.push_back(bytes_of<double>(problem.rows(roles, rank).size()).value);
    }
    if (roles.of(world_.rank()) == comm::Role::worker) {
        share_ = session.device().matrices().make_matrix(row_block(problem, roles, world_.rank()));
    }
    iteration_ =
        std::make_unique<DataflowIteration>(session, transport, hub_, problem, roles, share_.get());
}

std::vector<double> DataflowSolver::whole(device::View<const double> rows) {
    auto mine = device::allocate<double>(device_, rows.size(), device::MemoryKind::pinned);
    device_.copy(device::as_bytes(rows), device::as_bytes(mine.view()), stream_);
    stream_.synchronize();
    std::vector<double> all(static_cast<std::size_t>(size_));
    comm::all_gather_bytes(std::as_bytes(mine.span()), std::as_writable_bytes(std::span(all)),
                           comm::RankCounts(bytes_), world_.handle());
    return all;
}

}  // namespace quartet::cg
