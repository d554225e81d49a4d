#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "comm/topology/roles.hpp"
#include "flow/queue.hpp"
#include "matmul/native/file_plan.hpp"
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
    int lookahead = default_lookahead;  ///< in products, of tiles in files or copied to a GPU
    Results results = Results::removed;
    DataflowInputs inputs = DataflowInputs::memory;
};

/// Where a data flow computes, and where partial tiles lie between workers and reducers.
struct DataflowPlaces {
    device::MemoryKind workers = device::MemoryKind::host;
    device::MemoryKind reducers = device::MemoryKind::host;
    comm::PayloadPlace partials = comm::PayloadPlace::host;

    [[nodiscard]] bool workers_on_gpu() const { return workers == device::MemoryKind::device; }
};

/// What one rank of a data flow allocates, by its role.
struct DataflowPlan {
    comm::Roles roles;
    DataflowSettings settings;
    DataflowPlaces places;
    OperandLayout operands;  ///< a worker's A and B in memory; nothing for a reducer
    Bytes file_slots;        ///< a worker's on the host, for A and B in files
    Bytes device_slots;      ///< a worker's on the GPU, for A and B
    /// A worker's products that are made or on their way and not pushed yet, at most.
    int deliveries = 1;
    Bytes partials;  ///< a worker's on the GPU, where partial tiles are copied out
    /// A reducer's: the element at which each tile of C begins, by tile number; -1 for tiles of
    /// others.
    std::vector<std::int64_t> result_offsets;
    Bytes results;                        ///< a reducer's tiles of C
    std::vector<flow::QueuePlan> queues;  ///< of partial tiles, by reducer
    bench::BufferPlan memory;             ///< of all of these, and of the reducer's sums
};

/// The ranks that a data flow is planned over, and what moves its partial tiles.
struct DataflowRanks {
    comm::Roles roles;
    const comm::Topology& topology;
    int rank = 0;  ///< this one
    OperandCopies copies = OperandCopies::per_rank;
    comm::OperationMemory transport;
};

/// The plan of a rank. Local.
DataflowPlan plan_dataflow(const Problem& problem, const DataflowRanks& ranks,
                           const DataflowSettings& settings, const DataflowPlaces& places);

/// How many products ahead a worker copies tiles to its GPU: what is asked for, else up to
/// default_lookahead as the memory allows. Throws UsageError with the arithmetic where it does not.
/// Local.
int device_lookahead(const Problem& problem, const DataflowRanks& ranks, DataflowSettings settings,
                     const DataflowPlaces& places, const MemoryBudget& budget);

}  // namespace quartet::matmul
