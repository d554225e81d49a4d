#pragma once

#include <optional>
#include <string>
#include <vector>

#include "bench/measure/probes.hpp"
#include "bench/results/row.hpp"
#include "bench/session/arena.hpp"
#include "bench/session/session.hpp"
#include "stream/problem.hpp"

namespace quartet::stream {

/// The receiver's own addition of local vectors, as large and as many as are pushed; with senders
/// on other nodes, also what the link between the nodes can carry. Beside it, within a node and on
/// the host, the same additions by the cores of receiver and senders, each an equal part: what the
/// memory allows, which a receiver alone need not reach.
class PushLimit {
  public:
    /// Counts what the probes allocate on this rank. Local.
    static void count(bench::Arena& arena, const Problem& problem, bench::Session& session);

    /// Borrows session and problem. Collective.
    PushLimit(bench::Session& session, const Problem& problem);

    /// Collective.
    std::vector<bench::LimitComponent> measure();

  private:
    [[nodiscard]] double additions(std::optional<bench::MemoryProbe>& probe, int passes);
    [[nodiscard]] double sending();

    bench::Session& session_;
    const Problem& problem_;
    std::int64_t remote_senders_;
    std::optional<bench::MemoryProbe> local_add_;  ///< on the receiver
    int local_passes_ = 0;
    std::string way_;                         ///< of local_add_, by ranks where they differ
    std::optional<bench::MemoryProbe> part_;  ///< of the additions, where all ranks add
    int part_passes_ = 0;
    std::optional<bench::PairProbe> link_;  ///< between nodes
};

}  // namespace quartet::stream
