#include "cg/dataflow/dataflow_solver.hpp"

#include <algorithm>

#include "comm/mpi/large_count.hpp"
#include "device/matrix_factory.hpp"

namespace quartet::cg {

namespace {

device::RowBlock row_block(const Problem& problem, const comm::Roles& roles, int rank) {
    const Range rows = problem.rows(roles, rank);
    return {rows.begin, rows.size(), problem.size};
}

// Before there are windows: they could not be freed while an exception unwinds.
comm::Transport& require_usable(const RankContext& context, comm::Transport& transport) {
    flow::require_queues(transport);
    check(context.ranks() > 1, "a data flow has a reducer and a worker");
    return transport;
}

// The reducer's queue of pieces and its copies for the workers; a worker's piece and all of p.
void plan_queues(bench::BufferPlan& plan, const Problem& problem, const comm::Roles& roles,
                 int rank, int queue) {
    const Bytes whole = bytes_of<double>(problem.size);
    const Bytes piece = bytes_of<double>(problem.largest_rows(roles));
    if (roles.of(rank) == comm::Role::reducer) {
        plan.add(std::min(queue, roles.workers()) * piece, bench::Room::host);
        plan.add(roles.workers() * whole, bench::Room::host_window);
    } else {
        plan.add(whole, bench::Room::host);
        plan.add(piece, bench::Room::host_window);
    }
}

}  // namespace

DataflowSolver::Buffers::Buffers(bench::BufferPlan& plan, const device::Device& device,
                                 const Problem& problem, const comm::Roles& roles, int rank,
                                 int queue)
    : iteration(plan, device, problem, roles, rank), limit(plan, problem) {
    if (roles.of(rank) == comm::Role::worker) {
        plan.add(device.matrices().matrix_memory(row_block(problem, roles, rank)),
                 bench::Room::device);
    }
    plan_queues(plan, problem, roles, rank, queue);
}

DataflowSolver::DataflowSolver(const RankContext& context, const Buffers& buffers,
                               comm::Transport& transport, const Problem& problem,
                               const comm::Roles& roles)
    : context_(context),
      transport_(require_usable(context, transport)),
      roles_(roles),
      limit_buffers_(buffers.limit),
      size_(problem.size),
      hub_(context.world, &context.trace.track("queue")) {
    for (int rank = 0; rank < roles.ranks(); ++rank) {
        bytes_.push_back(bytes_of<double>(problem.rows(roles, rank).size()).value);
    }
    if (roles.of(context.rank()) == comm::Role::worker) {
        share_ = context.device.matrices().make_matrix(row_block(problem, roles, context.rank()));
    }
    iteration_ = std::make_unique<DataflowIteration>(context, buffers.iteration, transport, hub_,
                                                     problem, roles, share_.get());
}

std::vector<double> DataflowSolver::gather(device::View<const double> rows) {
    auto mine = device::allocate<double>(context_.device, rows.size(), device::MemoryKind::pinned);
    context_.device.copy(device::as_bytes(rows), device::as_bytes(mine.view()), context_.stream);
    context_.stream.synchronize();
    std::vector<double> all(static_cast<std::size_t>(size_));
    comm::all_gather_bytes(std::as_bytes(mine.span()), std::as_writable_bytes(std::span(all)),
                           comm::RankCounts(bytes_), context_.world.handle());
    return all;
}

std::unique_ptr<Limit> DataflowSolver::make_limit(const RankContext& context,
                                                  const Problem& problem) {
    return std::make_unique<DataflowLimit>(context, limit_buffers_, transport_, problem, roles_,
                                           share_.get());
}

}  // namespace quartet::cg
