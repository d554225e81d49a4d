#pragma once

#include <memory>
#include <optional>
#include <vector>

#include "bench/measure/probes.hpp"
#include "bench/program/buffer_plan.hpp"
#include "bench/program/session.hpp"
#include "bench/report/limit.hpp"
#include "stream/problem.hpp"

namespace quartet::stream {

/// The receiver's own addition of local vectors, as large and as many as are pushed; with senders
/// on other nodes, also what the link between the nodes can carry.
class PushLimit {
  public:
    /// Counts what the probes allocate on this rank. Local.
    static void plan(bench::BufferPlan& plan, const Problem& problem, int rank,
                     const comm::Topology& topology);

    /// Borrows session and problem. Collective.
    PushLimit(bench::Session& session, const Problem& problem);

    /// Each of both, the slowest over all routes. Collective.
    std::vector<bench::LimitComponent> measure();

  private:
    [[nodiscard]] double adding();
    [[nodiscard]] double sending();

    bench::Session& session_;
    const Problem& problem_;
    const Route* received_;                        ///< what this rank receives, or null
    std::optional<bench::MemoryProbe> local_add_;  ///< on receivers
    int local_passes_ = 0;
    std::vector<std::unique_ptr<bench::PairProbe>> links_;  ///< one per route between nodes
};

}  // namespace quartet::stream
