#include "matmul/dataflow/dataflow_plan.hpp"

#include "matmul/tiles/file_slots.hpp"

namespace quartet::matmul {

namespace {

// What each rank needs of A and B in memory, as if it were its block of C: a worker everything, a
// reducer nothing.
std::vector<Block> needed_blocks(const Problem& problem, const comm::Roles& roles,
                                 DataflowInputs inputs) {
    const Range all{0, problem.tiles()};
    std::vector<Block> blocks(static_cast<std::size_t>(roles.ranks()));
    if (inputs == DataflowInputs::memory) {
        for (const int worker : roles.worker_ranks()) {
            blocks[static_cast<std::size_t>(worker)] = {all, all};
        }
    }
    return blocks;
}

void plan_results(const Problem& problem, int rank, DataflowPlan& plan) {
    const comm::Roles& roles = plan.roles;
    std::int64_t used = 0;
    for (std::int64_t number = 0; number < problem.tiles() * problem.tiles(); ++number) {
        const bool mine = roles.of(rank) == comm::Role::reducer &&
                          number % roles.reducers() == roles.index_of(rank);
        plan.result_offsets.push_back(mine ? used : -1);
        used += mine ? problem.elements(tile_at(problem, number)) : 0;
    }
    plan.results = bytes_of<float>(used);
}

std::vector<flow::QueuePlan> queues(const Problem& problem, const comm::Roles& roles, int bound) {
    // Partial tiles of a worker for each reducer: one is made, one is read.
    constexpr int outgoing = 2;
    std::vector<flow::QueuePlan> queues;
    for (int reducer = 0; reducer < roles.reducers(); ++reducer) {
        queues.push_back({.owner = roles.reducer_rank(reducer),
                          .pushers = roles.worker_ranks(),
                          .bound = bound,
                          .largest = problem.tile_bytes(),
                          .order = flow::DequeueOrder::sequence,
                          .outgoing = outgoing});
    }
    return queues;
}

}  // namespace

DataflowPlan plan_dataflow(const Problem& problem, const comm::Roles& roles,
                           const DataflowSettings& settings, const comm::Topology& topology,
                           int rank, OperandCopies copies, const comm::OperationMemory& transport) {
    DataflowPlan plan{
        .roles = roles,
        .settings = settings,
        .operands = lay_out_operands(problem, needed_blocks(problem, roles, settings.inputs), rank,
                                     topology, copies),
        .input_slots = {},
        .result_offsets = {},
        .results = {},
        .queues = queues(problem, roles, settings.bound),
        .memory = {}};
    plan_results(problem, rank, plan);
    if (roles.of(rank) == comm::Role::worker && settings.inputs == DataflowInputs::files) {
        plan.input_slots = FileSlots::memory(problem, 2 * (settings.lookahead + 1));
    }
    plan.memory = plan.operands.memory();
    plan.memory.add(plan.input_slots + plan.results, bench::Room::host);
    for (const flow::QueuePlan& queue : plan.queues) {
        plan.memory.add(flow::queue_memory(queue, transport, rank));
    }
    return plan;
}

TileIndex tile_at(const Problem& problem, std::int64_t number) {
    return {number / problem.tiles(), number % problem.tiles()};
}

std::int64_t number_of(const Problem& problem, TileIndex tile) {
    return tile.row * problem.tiles() + tile.column;
}

}  // namespace quartet::matmul
