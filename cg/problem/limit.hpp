#pragma once

#include <optional>
#include <vector>

#include "bench/measure/probes.hpp"
#include "bench/results/row.hpp"
#include "cg/problem/problem.hpp"
#include "cg/problem/rank_context.hpp"
#include "device/matrix.hpp"

namespace quartet::cg {

/// How long the iterations would take at the machine's limit.
class Limit {
  public:
    virtual ~Limit() = default;
    /// Probes each component; the slowest decides. The same answer on all ranks. Collective.
    virtual std::vector<bench::LimitComponent> measure() = 0;
};

/// Reading each rank's share of the matrix once an iteration, all ranks at the same time.
class ReadingLimit final : public Limit {
  public:
    /// Borrows the share, null on a reducer, and what the context borrows. Local.
    ReadingLimit(const RankContext& context, const Problem& problem,
                 const device::MatrixShare* share);

    std::vector<bench::LimitComponent> measure() override;

  private:
    RankContext context_;
    Bytes traffic_;                            ///< of all ranks
    std::optional<bench::MemoryProbe> probe_;  ///< where there are rows
    int passes_ = 0;
};

}  // namespace quartet::cg
