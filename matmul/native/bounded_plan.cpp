#include "matmul/native/bounded_plan.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "matmul/native/scheduled_product.hpp"

namespace quartet::matmul {

namespace {

// Memory for files that are staged before a GPU.
Bytes staging_memory(const Problem& problem, const Blocking& blocking) {
    return buffers_of(blocking.slots, StagedSink::slots, host_tile(problem));
}

// The most slots, and the most look-ahead up to the device's, that the memory holds.
std::optional<Blocking> staging(const Problem& problem, const Block& block, Blocking blocking,
                                Bytes memory) {
    for (; blocking.lookahead >= 0; --blocking.lookahead) {
        blocking.slots = least_slots(block, blocking.rows, blocking.columns, blocking.lookahead);
        const Bytes least = staging_memory(problem, blocking);
        if (least <= memory) {
            const std::int64_t spare = (memory - least).value / host_tile(problem).slot.value;
            const std::int64_t all = problem.tiles() * (block.rows.size() + block.columns.size());
            blocking.slots = std::max(blocking.slots, std::min(all, blocking.slots + spare));
            return blocking;
        }
    }
    return std::nullopt;
}

HostPlan plan_of(const Problem& problem, const Block& block, const Blocking& blocking, int ranks,
                 const MemoryBudget& budget) {
    HostPlan plan{{blocking, planned_traffic(problem, block, blocking)}, {}, {}};
    plan.best = plan.traffic.sum();
    plan.lower_bound = lower_bound(problem, ranks, budget.allowed);
    return plan;
}

std::string describe(const Blocking& blocking) {
    return fmt::format("{} x {} tiles of C held, {} slots for A and B, {} products of look-ahead",
                       blocking.rows, blocking.columns, blocking.slots, blocking.lookahead);
}

}  // namespace

TileMemory host_tile(const Problem& problem) {
    return {.slot = MatrixFiles::slot_bytes(problem),
            .result = problem.tile_bytes(),
            .alignment = Bytes{direct_alignment}};
}

TileMemory device_tile(const Problem& problem) {
    return {.slot = problem.tile_bytes(), .result = problem.tile_bytes()};
}

HostPlan plan_host(const Problem& problem, const Block& block, int ranks,
                   const MemoryBudget& budget) {
    const TileMemory tiles = host_tile(problem);
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
    HostPlan plan = plan_of(problem, block, *blocking, ranks, budget);
    if (const auto best = best_blocking(problem, block, tiles, memory); best && !block.empty()) {
        plan.best = std::min(plan.best, planned_traffic(problem, block, *best).sum());
    }
    return plan;
}

LevelPlan plan_device(const Problem& problem, const Block& block, const MemoryBudget& budget) {
    const TileMemory tiles = device_tile(problem);
    const auto blocking = choose_blocking(problem, block, tiles, budget.allowed - budget.elsewhere,
                                          budget.lookahead, budget.most_held);
    if (!blocking) {
        refuse_tiles(problem, least_memory(tiles, budget.lookahead) + budget.elsewhere, budget);
    }
    return {*blocking, planned_traffic(problem, block, *blocking)};
}

HostPlan plan_staging(const Problem& problem, const Block& block, int ranks,
                      const MemoryBudget& budget, const Blocking& on_device) {
    const auto blocking = staging(problem, block, on_device, budget.allowed - budget.elsewhere);
    if (!blocking) {
        Blocking least = on_device;
        least.slots = least_slots(block, on_device.rows, on_device.columns, 0);
        throw UsageError(fmt::format(
            "tiles of {} x {} in files take at least {} of page-locked memory per rank ({} are "
            "allowed): give more --memory, less --device-memory, or a smaller --tile",
            problem.extent(0), problem.extent(0),
            to_string(staging_memory(problem, least) + budget.elsewhere),
            to_string(budget.allowed)));
    }
    return plan_of(problem, block, *blocking, ranks, budget);
}

std::string describe(const BoundedPlan& plan) {
    std::string text;
    if (plan.host) {
        const Traffic& traffic = plan.host->traffic;
        text = fmt::format(
            "{}; a rank moves {}, reading {} and writing {} (best whole-tile blocking {}, lower "
            "bound {})",
            describe(plan.host->blocking), to_string(traffic.sum()), to_string(traffic.read),
            to_string(traffic.written), to_string(plan.host->best),
            to_string(plan.host->lower_bound));
    }
    if (plan.device) {
        text +=
            fmt::format("{}on the GPU {}; a rank copies {} in and {} out", text.empty() ? "" : "; ",
                        describe(plan.device->blocking), to_string(plan.device->traffic.read),
                        to_string(plan.device->traffic.written));
    }
    return text;
}

}  // namespace quartet::matmul
