#include "matmul/native/file_plan.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "matmul/native/file_product.hpp"

namespace quartet::matmul {

FilePlan plan_files(const Problem& problem, const Block& block, int ranks,
                    const MemoryBudget& budget) {
    const TileMemory tiles = FileProduct::tile_memory(problem);
    const Bytes memory = budget.allowed - budget.elsewhere;
    const auto blocking =
        choose_blocking(problem, block, tiles, memory, budget.lookahead, budget.most_held);
    if (!blocking) {
        throw UsageError(fmt::format(
            "tiles of {} x {} in files take at least {} per rank ({} are allowed): give more "
            "--memory, or a smaller --tile{}",
            problem.extent(0), problem.extent(0),
            to_string(least_memory(tiles, budget.lookahead) + budget.elsewhere),
            to_string(budget.allowed), budget.lookahead ? " or --lookahead" : ""));
    }
    FilePlan plan;
    plan.blocking = *blocking;
    plan.traffic = planned_traffic(problem, block, *blocking);
    plan.best = plan.traffic.sum();
    if (const auto best = best_blocking(problem, block, tiles, memory); best && !block.empty()) {
        plan.best = std::min(plan.best, planned_traffic(problem, block, *best).sum());
    }
    plan.lower_bound = lower_bound(problem, ranks, budget.allowed);
    plan.buffers = buffers_of(*blocking, tiles);
    return plan;
}

std::string describe(const FilePlan& plan) {
    const Blocking& blocking = plan.blocking;
    return fmt::format(
        "{} x {} tiles of C held, {} slots for A and B, {} products of look-ahead; a rank moves "
        "{}, reading {} and writing {} (best whole-tile blocking {}, lower bound {})",
        blocking.rows, blocking.columns, blocking.slots, blocking.lookahead,
        to_string(plan.traffic.sum()), to_string(plan.traffic.read),
        to_string(plan.traffic.written), to_string(plan.best), to_string(plan.lower_bound));
}

void add_details(bench::Details& details, const FilePlan& plan, const Traffic& moved,
                 const comm::Communicator& world) {
    const auto add_sum = [&](const char* key, Bytes bytes) {
        details.numbers.emplace_back(key, world.sum(static_cast<double>(bytes.value)));
    };
    const auto add_of_root = [&](const char* key, std::int64_t value) {
        details.numbers.emplace_back(key, world.broadcast(static_cast<double>(value), 0));
    };
    add_sum("bytes_read", moved.read);
    add_sum("bytes_written", moved.written);
    add_sum("bytes_planned", plan.traffic.sum());
    add_sum("bytes_best_whole_tiles", plan.best);
    add_sum("bytes_lower_bound", plan.lower_bound);
    add_of_root("blocking_rows", plan.blocking.rows);
    add_of_root("blocking_columns", plan.blocking.columns);
    add_of_root("blocking_slots", plan.blocking.slots);
    add_of_root("lookahead", plan.blocking.lookahead);
}

}  // namespace quartet::matmul
