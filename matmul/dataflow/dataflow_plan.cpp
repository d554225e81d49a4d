#include "matmul/dataflow/dataflow_plan.hpp"

#include <algorithm>

#include "matmul/dataflow/product_order.hpp"
#include "matmul/dataflow/tile_sums.hpp"
#include "matmul/native/device_plan.hpp"
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
    const ProductOrder order(problem, roles.reducers());
    std::int64_t used = 0;
    for (std::int64_t number = 0; number < problem.tiles() * problem.tiles(); ++number) {
        const TileIndex tile = order.tile(number);
        const bool mine =
            roles.of(rank) == comm::Role::reducer && order.reducer_of(tile) == roles.index_of(rank);
        plan.result_offsets.push_back(mine ? used : -1);
        used += mine ? problem.elements(tile) : 0;
    }
    plan.results = bytes_of<float>(used);
}

std::vector<flow::QueuePlan> queues(const Problem& problem, const comm::Roles& roles, int bound,
                                    const DataflowPlaces& places) {
    // Partial tiles of a worker for each reducer: one is made, one is read. A GPU is given a
    // product before the one before is pushed.
    const int outgoing = places.workers_on_gpu() ? 3 : 2;
    std::vector<flow::QueuePlan> queues;
    for (int reducer = 0; reducer < roles.reducers(); ++reducer) {
        queues.push_back({.owner = roles.reducer_rank(reducer),
                          .pushers = roles.worker_ranks(),
                          .bound = bound,
                          .largest = problem.tile_bytes(),
                          .order = flow::DequeueOrder::sequence,
                          .outgoing = outgoing,
                          .place = places.partials});
    }
    return queues;
}

void plan_worker(const Problem& problem, DataflowPlan& plan) {
    const bool on_gpu = plan.places.workers_on_gpu();
    const std::int64_t held = plan.settings.lookahead + 1;  // products whose tiles are there
    if (plan.settings.inputs == DataflowInputs::files) {
        // Before a GPU: one product's tiles are read while those before are copied.
        plan.file_slots =
            FileSlots::memory(problem, 2 * (on_gpu ? std::min<std::int64_t>(held, 2) : held));
    }
    if (on_gpu) {
        plan.device_slots = 2 * held * problem.tile_bytes();
        plan.deliveries = 2;
        if (plan.places.partials == comm::PayloadPlace::host) {
            plan.partials = plan.deliveries * problem.tile_bytes();
        }
    }
}

}  // namespace

DataflowPlan plan_dataflow(const Problem& problem, const DataflowRanks& ranks,
                           const DataflowSettings& settings, const DataflowPlaces& places) {
    DataflowPlan plan{
        .roles = ranks.roles,
        .settings = settings,
        .places = places,
        .operands = lay_out_operands(problem, needed_blocks(problem, ranks.roles, settings.inputs),
                                     ranks.rank, ranks.topology, ranks.copies),
        .file_slots = {},
        .device_slots = {},
        .partials = {},
        .result_offsets = {},
        .results = {},
        .queues = queues(problem, ranks.roles, settings.bound, places),
        .memory = {}};
    plan_results(problem, ranks.rank, plan);
    plan.memory = plan.operands.memory();
    if (ranks.roles.of(ranks.rank) == comm::Role::worker) {
        plan_worker(problem, plan);
    } else {
        plan.memory.add(tile_sums_memory(problem, places.reducers, places.partials));
    }
    plan.memory.add(plan.file_slots + plan.results, bench::Room::host);
    plan.memory.add(plan.device_slots + plan.partials, bench::Room::device);
    for (const flow::QueuePlan& queue : plan.queues) {
        plan.memory.add(flow::queue_memory(queue, ranks.transport, ranks.rank));
    }
    return plan;
}

int device_lookahead(const Problem& problem, const DataflowRanks& ranks, DataflowSettings settings,
                     const DataflowPlaces& places, const MemoryBudget& budget) {
    settings.lookahead = budget.lookahead.value_or(DataflowSettings::default_lookahead);
    const int least = budget.lookahead.value_or(0);
    Bytes needed;
    for (; settings.lookahead >= least; --settings.lookahead) {
        needed = plan_dataflow(problem, ranks, settings, places).memory.device() + budget.elsewhere;
        if (needed <= budget.allowed) {
            return settings.lookahead;
        }
    }
    refuse_tiles(problem, needed, budget);
}

}  // namespace quartet::matmul
