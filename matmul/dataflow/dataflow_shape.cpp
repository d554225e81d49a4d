#include "matmul/dataflow/dataflow_shape.hpp"

namespace quartet::matmul {

// The part of C for which a rank has its operands: all of C for a worker, nothing for a reducer.
OperandLayout DataflowShape::operands(const Problem& problem) const {
    std::vector<Block> blocks(static_cast<std::size_t>(roles.ranks()));
    if (!in_files()) {
        for (const int worker : roles.worker_ranks()) {
            blocks[static_cast<std::size_t>(worker)] = whole(problem);
        }
    }
    return lay_out_operands(problem, blocks, rank, topology, copies);
}

std::vector<flow::QueuePlan> DataflowShape::queues(const Problem& problem) const {
    std::vector<flow::QueuePlan> queues;
    for (int reducer = 0; reducer < roles.reducers(); ++reducer) {
        queues.push_back({.owner = roles.reducer_rank(reducer),
                          .pushers = roles.worker_ranks(),
                          .bound = bound,
                          .largest = problem.tile_bytes(),
                          .order = flow::DequeueOrder::sequence,
                          // Partial tiles of a worker for each reducer: one is made, one is read. A
                          // GPU is given a product before the one before is pushed.
                          .outgoing = deliveries() + 1,
                          .place = partials});
    }
    return queues;
}

}  // namespace quartet::matmul
