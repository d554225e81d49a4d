#pragma once

#include <cstdint>
#include <vector>

#include "comm/topology/roles.hpp"
#include "flow/queue.hpp"
#include "matmul/options.hpp"
#include "matmul/tiles/operand_layout.hpp"
#include "matmul/tiles/result_files.hpp"

namespace quartet::matmul {

/// Where the workers of a data flow have A and B.
enum class DataflowInputs { memory, files };

/// What the user chooses of a data flow.
struct DataflowSettings {
    static constexpr int default_lookahead = 2;

    WorkSchedule schedule = WorkSchedule::fixed;
    int bound = 16;                     ///< of each reducer's queue
    int lookahead = default_lookahead;  ///< in products, of tiles in files
    Results results = Results::removed;
    DataflowInputs inputs = DataflowInputs::memory;
};

/// What one rank of a data flow allocates, by its role.
struct DataflowPlan {
    comm::Roles roles;
    DataflowSettings settings;
    OperandLayout operands;  ///< a worker's A and B in memory; nothing for a reducer
    Bytes input_slots;       ///< a worker's, for A and B in files
    /// A reducer's: the element at which each tile of C begins, by tile number; -1 for tiles of
    /// others.
    std::vector<std::int64_t> result_offsets;
    Bytes results;                        ///< a reducer's tiles of C
    std::vector<flow::QueuePlan> queues;  ///< of partial tiles, by reducer
    bench::BufferPlan memory;             ///< of all of these
};

/// The plan of `rank`. Local.
DataflowPlan plan_dataflow(const Problem& problem, const comm::Roles& roles,
                           const DataflowSettings& settings, const comm::Topology& topology,
                           int rank, OperandCopies copies, const comm::OperationMemory& transport);

/// Tiles of C are numbered row by row.
[[nodiscard]] TileIndex tile_at(const Problem& problem, std::int64_t number);
[[nodiscard]] std::int64_t number_of(const Problem& problem, TileIndex tile);

}  // namespace quartet::matmul
