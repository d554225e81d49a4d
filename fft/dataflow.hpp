#pragma once

#include <memory>
#include <string>

#include "bench/data/data_options.hpp"
#include "bench/session/arena.hpp"
#include "bench/session/session.hpp"
#include "comm/topology/roles.hpp"
#include "fft/problem/problem.hpp"
#include "flow/queue.hpp"

namespace quartet::fft {

/// The work of one rank in the data flow.
struct DataflowPlan {
    std::string transport;
    Problem problem;
    bench::DataOptions data;
    comm::Roles roles;
    comm::Role role = comm::Role::worker;
    Range tiles{};               ///< a worker's
    device::FourStepFft tile{};  ///< one tile as a transform of its own

    flow::QueuePlan queue{};   ///< of transformed tiles
    bool probes_link = false;  ///< whether tiles travel: then the limit sends one, too
    bool copies = false;  ///< whether this rank copies each tile from its GPU to the CPU's memory
};

/// The plan of a problem on this rank. Local.
DataflowPlan plan_dataflow(bench::Session& session, const std::string& transport,
                           const Problem& problem, const comm::Roles& roles,
                           const bench::DataOptions& data = {});

/// This rank's memory: its buffers, and what FFT plans, queue, check and limit allocate. Local.
bench::Arena memory_of(bench::Session& session, const DataflowPlan& plan);

/// The case of that plan on this rank: X on the reducer, nothing elsewhere. Collective. Throws
/// Unavailable.
std::unique_ptr<TransformCase> make_dataflow_case(bench::Session& session,
                                                  const DataflowPlan& plan);

}  // namespace quartet::fft
