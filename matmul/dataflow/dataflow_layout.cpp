#include "matmul/dataflow/dataflow_layout.hpp"

#include <algorithm>

#include "matmul/dataflow/product_order.hpp"

namespace quartet::matmul {

namespace {

// What each rank needs of A and B in memory, as if it were its block of C: a worker everything, a
// reducer nothing.
std::vector<Block> needed_blocks(const Problem& problem, const comm::Roles& roles,
                                 DataflowInputs inputs) {
    std::vector<Block> blocks(static_cast<std::size_t>(roles.ranks()));
    if (inputs == DataflowInputs::memory) {
        for (const int worker : roles.worker_ranks()) {
            blocks[static_cast<std::size_t>(worker)] = whole(problem);
        }
    }
    return blocks;
}

void lay_out_results(const Problem& problem, int rank, DataflowLayout& layout) {
    const comm::Roles& roles = layout.roles;
    const ProductOrder order(problem, roles.reducers());
    for (std::int64_t number = 0; number < problem.tiles() * problem.tiles(); ++number) {
        const TileIndex tile = order.tile(number);
        const bool mine =
            roles.of(rank) == comm::Role::reducer && order.reducer_of(tile) == roles.index_of(rank);
        layout.result_offsets.push_back(mine ? layout.results : -1);
        layout.results += mine ? problem.elements(tile) : 0;
    }
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

}  // namespace

DataflowLayout lay_out_dataflow(const Problem& problem, const DataflowRanks& ranks,
                                const DataflowSettings& settings, const DataflowPlaces& places) {
    DataflowLayout layout{
        .roles = ranks.roles,
        .settings = settings,
        .places = places,
        .operands = lay_out_operands(problem, needed_blocks(problem, ranks.roles, settings.inputs),
                                     ranks.rank, ranks.topology, ranks.copies),
        .result_offsets = {},
        .queues = queues(problem, ranks.roles, settings.bound, places)};
    lay_out_results(problem, ranks.rank, layout);
    const bool in_files = settings.inputs == DataflowInputs::files;
    if (in_files || places.workers_on_gpu()) {
        layout.held = settings.lookahead + 1;
    }
    if (in_files) {  // before a GPU one product's tiles are read while those before are copied
        layout.from_files =
            places.workers_on_gpu() ? std::min<std::int64_t>(layout.held, 2) : layout.held;
    }
    if (places.workers_on_gpu()) {
        layout.deliveries = 2;
    }
    return layout;
}

}  // namespace quartet::matmul
