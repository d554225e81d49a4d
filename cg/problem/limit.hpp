#pragma once

#include <optional>
#include <vector>

#include "bench/measure/probes.hpp"
#include "bench/results/row.hpp"
#include "cg/problem/problem.hpp"
#include "cg/problem/rank_context.hpp"
#include "device/matrix.hpp"

namespace quartet::cg {

/// How long the iterations would take at the machine's limit: reading each rank's share of the
/// matrix once an iteration, all ranks at the same time.
class Limit {
  public:
    /// Borrows the share, null on a reducer, and what the context borrows. Local.
    Limit(const RankContext& context, const Problem& problem, const device::MatrixShare* share);
    virtual ~Limit() = default;

    /// Probes each component; the slowest decides. The same answer on all ranks. Collective.
    virtual std::vector<bench::LimitComponent> measure();

  protected:
    RankContext context_;

  private:
    Bytes traffic_;                            ///< of all ranks
    std::optional<bench::MemoryProbe> probe_;  ///< where there are rows
    int passes_ = 0;
};

}  // namespace quartet::cg
