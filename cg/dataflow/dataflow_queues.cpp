#include "cg/dataflow/dataflow_queues.hpp"

#include <exception>

namespace quartet::cg {

namespace {

flow::QueuePlan queue_of_blocks(const Problem& problem, const comm::Roles& roles, int bound) {
    return {.owner = roles.reducer_rank(0),
            .pushers = roles.worker_ranks(),
            .bound = bound,
            .largest = bytes_of<double>(problem.largest_rows(roles)),
            .order = flow::DequeueOrder::key,
            .outgoing = 1};
}

}  // namespace

void DataflowQueues::count(bench::Arena& arena, const comm::OperationMemory& transport,
                           const Problem& problem, const comm::Roles& roles, int bound, int rank) {
    for (int reduction = 0; reduction < 2; ++reduction) {
        DataflowReduction::count(arena, transport, roles, bound, rank);
    }
    arena.count(flow::queue_memory(queue_of_blocks(problem, roles, bound), transport, rank));
    arena.count(flow::Publication::memory(roles.reducer_rank(0), roles.worker_ranks(),
                                          bytes_of<double>(problem.size), transport, rank));
}

DataflowQueues::DataflowQueues(flow::Hub& hub, comm::Transport& transport, const Problem& problem,
                               const comm::Roles& roles, int bound)
    : curvature(hub, transport, roles, bound),
      residual(hub, transport, roles, bound),
      blocks(hub, transport, queue_of_blocks(problem, roles, bound)),
      direction(hub, transport, roles.reducer_rank(0), roles.worker_ranks(),
                bytes_of<double>(problem.size)),
      exceptions_(std::uncaught_exceptions()) {}

DataflowQueues::~DataflowQueues() {
    if (std::uncaught_exceptions() > exceptions_) {
        return;
    }
    curvature.flush();
    residual.flush();
    blocks.flush();
    direction.flush();
}

}  // namespace quartet::cg
