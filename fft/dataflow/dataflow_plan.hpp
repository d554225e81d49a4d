#pragma once

#include <string>

#include "bench/checkpoint/checkpoint_options.hpp"
#include "bench/data/data_options.hpp"
#include "bench/session/session.hpp"
#include "comm/topology/link_traffic.hpp"
#include "comm/topology/roles.hpp"
#include "fft/dataflow/merger.hpp"
#include "fft/problem/problem.hpp"
#include "flow/queue.hpp"

namespace quartet::fft {

/// The buffers and the queue of the data flow on one rank.
struct DataflowPlan {
    std::string transport;
    Problem problem;
    bench::DataOptions data;
    bench::CheckpointOptions checkpoint;
    comm::Roles roles;
    comm::Role role = comm::Role::worker;
    Range tiles{};               ///< a worker's
    device::FourStepFft tile{};  ///< one tile as a transform of its own

    bench::PlannedBuffer<Point> input{};       ///< a worker's tiles
    bench::PlannedBuffer<Point> read{};        ///< tiles between their files and a worker's GPU
    bench::PlannedBuffer<double> discarded{};  ///< what a worker's limit writes
    /// Tiles on a GPU, on their way to or from payloads in the host's memory: a worker's that are
    /// transformed, a merger's that have arrived. Empty where payloads lie where the rank computes.
    bench::PlannedBuffer<double> staged{};
    bench::PlannedBuffer<double> copied{};  ///< what a merger's limit copies in, if it does
    /// A tile between its file of a checkpoint and a worker's payload on its GPU.
    bench::PlannedBuffer<double> kept{};
    flow::QueuePlan queue{};   ///< of transformed tiles
    bool probes_link = false;  ///< whether tiles travel: then the limit sends one, too
    /// All of these, and what FFT plans, merger, check and limit allocate.
    bench::BufferPlan memory{};

    /// Whether this rank copies each tile between its GPU and the host's memory.
    [[nodiscard]] bool copies() const { return staged.count > 0; }
};

/// Tiles that are staged at a time: one is copied while the next is computed on.
inline constexpr std::int64_t staged_tiles = 2;

/// The plan of a problem on this rank. Local.
DataflowPlan plan_dataflow(bench::Session& session, const std::string& transport,
                           const Problem& problem, const comm::Roles& roles,
                           const bench::DataOptions& data = {},
                           const bench::CheckpointOptions& checkpoint = {});

/// Where the merger's memory is counted: it may compute on the CPU beside a GPU. Local.
bench::Room merger_room(bench::Session& session);

/// What a run moves from this rank: a worker's tiles, to the merger. Local.
comm::RankTraffic traffic_of(const DataflowPlan& plan);

}  // namespace quartet::fft
