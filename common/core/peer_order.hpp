#pragma once

namespace quartet {

/// The rank whose memory `rank` reads at a step (0 to ranks - 1): its own first. While all ranks
/// are at the same step, each memory has one reader. In the order 0, 1, 2 ... all would share one
/// rank's link.
constexpr int peer_at_step(int step, int rank, int ranks) {
    return (rank + step) % ranks;
}

}  // namespace quartet
