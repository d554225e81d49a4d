#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "comm/topology/roles.hpp"
#include "flow/queue.hpp"
#include "matmul/problem/options.hpp"
#include "matmul/tiles/operand_layout.hpp"

namespace quartet::matmul {

/// The place of A and B for the workers of a data flow.
enum class DataflowInputs { memory, files };

/// A data flow: which ranks work and which reduce, where, and what moves partial tiles between
/// them.
struct DataflowShape {
    comm::Roles roles;
    const comm::Topology& topology;
    int rank = 0;  ///< this one
    comm::OperationMemory transport;

    WorkSchedule schedule = WorkSchedule::fixed;
    int bound = 16;     ///< of each reducer's queue
    int lookahead = 2;  ///< in products, of tiles in files or copied to a GPU

    DataflowInputs inputs = DataflowInputs::memory;
    OperandCopies copies = OperandCopies::per_rank;  ///< of A and B in memory
    device::MemoryKind workers = device::MemoryKind::host;
    device::MemoryKind reducers = device::MemoryKind::host;
    comm::PayloadPlace partials = comm::PayloadPlace::host;

    [[nodiscard]] bool works() const { return roles.of(rank) == comm::Role::worker; }
    [[nodiscard]] bool in_files() const { return inputs == DataflowInputs::files; }
    [[nodiscard]] bool workers_on_gpu() const { return workers == device::MemoryKind::device; }
    [[nodiscard]] bool reducers_on_gpu() const { return reducers == device::MemoryKind::device; }
    [[nodiscard]] bool through_host() const { return partials == comm::PayloadPlace::host; }

    /// Products whose tiles a worker has or waits for.
    [[nodiscard]] std::int64_t held() const {
        return in_files() || workers_on_gpu() ? lookahead + 1 : 1;
    }
    /// The number of them whose files lie in the host's slots: before a GPU, the files of one
    /// product are read while those of earlier products are copied.
    [[nodiscard]] std::int64_t from_files() const {
        return !in_files() ? 0 : workers_on_gpu() ? std::min<std::int64_t>(held(), 2) : held();
    }
    /// A worker's products that are made or on their way and not pushed yet, at most.
    [[nodiscard]] int deliveries() const { return workers_on_gpu() ? 2 : 1; }

    /// A worker's A and B in memory; nothing for a reducer.
    [[nodiscard]] OperandLayout operands(const Problem& problem) const;
    /// The queues of partial tiles, by reducer.
    [[nodiscard]] std::vector<flow::QueuePlan> queues(const Problem& problem) const;
};

}  // namespace quartet::matmul
