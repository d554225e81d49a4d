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

}  // namespace quartet
