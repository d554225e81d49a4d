#include "cg/dataflow/dataflow_solver.hpp"

#include "comm/mpi/large_count.hpp"
#include "comm/transport/registry/transport_registry.hpp"

namespace quartet::cg {

namespace {

using IterationBuffers = std::variant<DataflowWorker::Buffers, DataflowReducer::Buffers>;

// Before there are windows: they could not be freed while an exception unwinds.
comm::Transport& require_usable(const RankContext& context, comm::Transport& transport) {
    comm::require(transport, comm::Capability::payload_channel, "formulation dataflow");
    check(context.ranks() > 1, "a data flow has a reducer and a worker");
    return transport;
}

IterationBuffers iteration_buffers(bench::BufferPlan& plan, const device::Device& device,
                                   const Problem& problem, const comm::Roles& roles, int rank) {
    if (roles.of(rank) == comm::Role::worker) {
        return DataflowWorker::Buffers(plan, device, problem, roles, rank);
    }
    return DataflowReducer::Buffers(plan, problem);
}

}  // namespace

DataflowSolver::Buffers::Buffers(bench::BufferPlan& plan, const device::Device& device,
                                 const Problem& problem, const comm::Roles& roles, int rank)
    : iteration(iteration_buffers(plan, device, problem, roles, rank)), limit(plan, problem) {}

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
    if (const auto* worker = std::get_if<DataflowWorker::Buffers>(&buffers.iteration)) {
        iteration_ =
            std::make_unique<DataflowWorker>(context, *worker, transport, hub_, problem, roles);
    } else {
        iteration_ = std::make_unique<DataflowReducer>(
            context, std::get<DataflowReducer::Buffers>(buffers.iteration), transport, hub_,
            problem, roles);
    }
}

std::vector<double> DataflowSolver::gather(device::View<const double> rows) {
    const std::vector<double> mine = on_host(rows, context_.device, context_.stream);
    std::vector<double> all(static_cast<std::size_t>(size_));
    comm::all_gather_bytes(std::as_bytes(std::span(mine)), std::as_writable_bytes(std::span(all)),
                           comm::RankCounts(bytes_), context_.world.handle());
    return all;
}

std::unique_ptr<Limit> DataflowSolver::make_limit(const RankContext& context,
                                                  const Problem& problem) {
    return std::make_unique<DataflowLimit>(context, limit_buffers_, transport_, problem, roles_,
                                           share());
}

}  // namespace quartet::cg
