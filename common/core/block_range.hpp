#pragma once

#include <cstdint>

namespace quartet {

/// count / by, rounded up; correct for every count that fits 64 bits.
constexpr std::int64_t divide_up(std::int64_t count, std::int64_t by) {
    return count / by + (count % by == 0 ? 0 : 1);
}

/// The elements [begin, end) of a distributed array.
struct Range {
    std::int64_t begin = 0;
    std::int64_t end = 0;
    [[nodiscard]] std::int64_t size() const { return end - begin; }
};

/// Part `index` of `count` elements in `parts` nearly equal parts: from element floor(index count /
/// parts) up to where the next part begins. Correct for every count that fits 64 bits. Throws
/// Failure if there is no such part.
Range block_range(std::int64_t count, int parts, int index);

/// The rank whose memory `rank` reads at a step (0 to ranks - 1): its own first. While all ranks
/// are at the same step, each memory has one reader. In the order 0, 1, 2 ... all would share one
/// rank's link.
constexpr int peer_at_step(int step, int rank, int ranks) {
    return (rank + step) % ranks;
}

}  // namespace quartet
