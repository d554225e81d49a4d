#pragma once

#include <array>
#include <memory>
#include <optional>

#include "bench/session/buffer_plan.hpp"
#include "cg/limit.hpp"

namespace quartet::cg {

/// Brings all of p to the reducer once.
class DirectionProbe {
  public:
    virtual ~DirectionProbe() = default;
    /// The time of one of `passes`; 0 where this rank takes no part. Collective.
    virtual Seconds measure(int passes, device::Stream& stream) = 0;
};

/// The workers' reading of the matrix, and bringing p to the reducer in every iteration: over the
/// link, or, where the ranks share memory, by a copy.
class DataflowLimit final : public Limit {
  public:
    /// Of the copy.
    struct Buffers {
        Buffers(bench::BufferPlan& plan, const Problem& problem);

        std::array<bench::PlannedBuffer<double>, 2> vectors;
    };

    /// Borrows share, transport and what the context borrows. Collective.
    DataflowLimit(const RankContext& context, const Buffers& buffers, comm::Transport& transport,
                  const Problem& problem, const comm::Roles& roles,
                  const device::MatrixShare* share);

    std::vector<bench::LimitComponent> measure() override;

  private:
    RankContext context_;
    ReadingLimit reading_;
    std::unique_ptr<DirectionProbe> direction_;
    int workers_;
    bool reduces_;
    int iterations_;
};

}  // namespace quartet::cg
