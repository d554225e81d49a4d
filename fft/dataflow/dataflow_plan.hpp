#pragma once

#include <string>

#include "bench/program/session.hpp"
#include "comm/topology/roles.hpp"
#include "fft/dataflow/merger.hpp"
#include "fft/memory_needs.hpp"
#include "fft/problem.hpp"

namespace quartet::fft {

/// The buffers of the data flow on one rank. The case allocates what this says, and memory() is its
/// sum.
struct DataflowPlan {
    /// Transformed tiles in a worker's memory: one is written, the others are under way.
    static constexpr int outgoing_tiles = 8;

    std::string transport;
    Problem problem;
    comm::Roles roles;
    comm::Role role = comm::Role::worker;
    Range tiles{};               ///< a worker's
    device::FourStepFft tile{};  ///< one tile as a transform of its own

    std::int64_t input = 0;      ///< points: a worker's tiles
    int outgoing = 0;            ///< transformed tiles that wait in a worker's memory
    std::int64_t discarded = 0;  ///< doubles: what a worker's limit writes
    MergerPlan merger{};         ///< the reducer's
    std::int64_t message = 0;    ///< doubles: what the limit sends; 0 in place
    int incoming = 0;            ///< tiles in the reducer's memory; 0 where they are read in place

    Bytes workspace{};  ///< of the FFT plans
    Bytes check{};
    bool in_place = false;  ///< whether tiles are read where the worker wrote them, in a window

    [[nodiscard]] MemoryNeeds memory() const;
};

/// The plan of a problem on this rank. Local.
DataflowPlan plan_dataflow(bench::Session& session, const std::string& transport,
                           const Problem& problem, const comm::Roles& roles);

}  // namespace quartet::fft
