#pragma once

#include <array>
#include <vector>

#include "comm/transport/support/shared_flag.hpp"
#include "comm/transport/transport.hpp"
#include "comm/windows/window_pool.hpp"
#include "system/memory/page.hpp"

namespace quartet::comm {

/// A rank's shares of the last two sums, each beside its number.
struct SharedShares {
    struct alignas(system::line_spacing) Line {
        SharedFlag sum;
        std::array<double, 7> values;
    };
    std::array<Line, 2> lines;
};

/// Sums over the ranks of one node. Each rank writes its shares and the number of the sum to its
/// own cache line, and reads those of the others, all in rank order.
class PeerSum final : public OrderedSum {
  public:
    /// For sums of at most seven numbers. The cache lines are in a window of the host. Collective.
    PeerSum(WindowPool& windows, const Communicator& comm, int most);
    /// In memory that others keep: by rank, all zero before the first sum. Local.
    PeerSum(int rank, std::vector<SharedShares*> shares);

    void run(std::span<double> values) override;

  private:
    int rank_;
    device::Allocation memory_;
    std::vector<SharedShares*> shares_;  ///< by rank, as this one sees them
    std::int64_t sums_ = 0;              ///< so far
};

}  // namespace quartet::comm
