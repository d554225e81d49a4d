#include "matmul/dataflow/dataflow_plan.hpp"

#include <algorithm>

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

}  // namespace

ProductMemory DataflowPlan::memory() const {
    // Over shared windows reducers read partial tiles where the workers have made them.
    const bool windows = operands.copies == OperandCopies::per_node;
    return operands.memory() + ProductMemory{input_slots + results + outgoing + incoming,
                                             windows ? outgoing : Bytes{},
                                             {}};
}

DataflowPlan plan_dataflow(const Problem& problem, const comm::Roles& roles,
                           const DataflowSettings& settings, const comm::Topology& topology,
                           int rank, OperandCopies copies) {
    DataflowPlan plan{
        .roles = roles,
        .settings = settings,
        .operands = lay_out_operands(problem, needed_blocks(problem, roles, settings.inputs), rank,
                                     topology, copies),
        .input_slots = {},
        .result_offsets = {},
        .results = {},
        .outgoing = {},
        .incoming = {}};
    plan_results(problem, rank, plan);
    if (roles.of(rank) == comm::Role::worker) {
        plan.outgoing = roles.reducers() * outgoing_partial_tiles * problem.tile_bytes();
        if (settings.inputs == DataflowInputs::files) {
            plan.input_slots = FileSlots::memory(problem, 2 * (settings.lookahead + 1));
        }
    } else if (copies == OperandCopies::per_rank) {
        plan.incoming = std::min(settings.bound, outgoing_partial_tiles * roles.workers()) *
                        problem.tile_bytes();
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
