#pragma once

#include <cstdint>
#include <vector>

#include "comm/topology/roles.hpp"
#include "flow/queue.hpp"
#include "matmul/problem/options.hpp"
#include "matmul/tiles/operand_layout.hpp"

namespace quartet::matmul {

/// Where the workers of a data flow have A and B.
enum class DataflowInputs { memory, files };

/// What the user chooses of a data flow.
struct DataflowSettings {
    static constexpr int default_lookahead = 2;

    WorkSchedule schedule = WorkSchedule::fixed;
    int bound = 16;                     ///< of each reducer's queue
    int lookahead = default_lookahead;  ///< in products, of tiles in files or copied to a GPU
    DataflowInputs inputs = DataflowInputs::memory;
};

/// Where a data flow computes, and where partial tiles lie between workers and reducers.
struct DataflowPlaces {
    device::MemoryKind workers = device::MemoryKind::host;
    device::MemoryKind reducers = device::MemoryKind::host;
    comm::PayloadPlace partials = comm::PayloadPlace::host;

    [[nodiscard]] bool workers_on_gpu() const { return workers == device::MemoryKind::device; }
    [[nodiscard]] bool reducers_on_gpu() const { return reducers == device::MemoryKind::device; }
    [[nodiscard]] bool through_host() const { return partials == comm::PayloadPlace::host; }
};

/// The ranks of a data flow, and what moves its partial tiles.
struct DataflowRanks {
    comm::Roles roles;
    const comm::Topology& topology;
    int rank = 0;  ///< this one
    OperandCopies copies = OperandCopies::per_rank;
    comm::OperationMemory transport;

    [[nodiscard]] bool works() const { return roles.of(rank) == comm::Role::worker; }
};

/// What one rank of a data flow holds.
struct DataflowLayout {
    comm::Roles roles;
    DataflowSettings settings;
    DataflowPlaces places;
    OperandLayout operands;       ///< a worker's A and B in memory; nothing for a reducer
    std::int64_t held = 1;        ///< products whose tiles a worker has or waits for
    std::int64_t from_files = 0;  ///< of them, those whose tiles lie in the host's slots
    /// A worker's products that are made or on their way and not pushed yet, at most.
    int deliveries = 1;
    /// A reducer's: the element at which each tile of C begins, by tile number; -1 for tiles of
    /// others.
    std::vector<std::int64_t> result_offsets;
    std::int64_t results = 0;             ///< elements of a reducer's tiles of C
    std::vector<flow::QueuePlan> queues;  ///< of partial tiles, by reducer
};

/// The layout of a rank. Local.
DataflowLayout lay_out_dataflow(const Problem& problem, const DataflowRanks& ranks,
                                const DataflowSettings& settings, const DataflowPlaces& places);

}  // namespace quartet::matmul
