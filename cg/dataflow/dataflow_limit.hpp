#pragma once

#include <optional>

#include "bench/session/arena.hpp"
#include "cg/problem/limit.hpp"

namespace quartet::cg {

/// The workers' reading of the matrix, and bringing all of p to the reducer in every iteration:
/// over the link, one worker's rows as often as there are workers, or, if the ranks share
/// memory, by a copy within it.
class DataflowLimit final : public Limit {
  public:
    /// The buffers of the copy.
    struct Buffers {
        Buffers(bench::Arena& arena, const Problem& problem);

        device::Buffer<double> from;
        device::Buffer<double> to;
    };

    /// Borrows share, transport and what the context borrows. Collective.
    DataflowLimit(const RankContext& context, comm::Transport& transport, const Problem& problem,
                  const comm::Roles& roles, device::MatrixShare* share, std::int64_t rows);

    std::vector<bench::LimitComponent> measure() override;

  private:
    int workers_;
    bool reduces_;
    int iterations_;
    // One of both.
    std::optional<bench::PairProbe> link_;
    std::optional<Buffers> buffers_;
    std::optional<bench::MemoryProbe> copy_;
};

}  // namespace quartet::cg
