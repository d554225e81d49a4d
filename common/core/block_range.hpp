#pragma once

#include <cstdint>

namespace quartet {

/// count / by, rounded up; correct for every count that fits 64 bits.
constexpr std::int64_t divide_up(std::int64_t count, std::int64_t by) {
    return count / by + (count % by == 0 ? 0 : 1);
}

/// Elements [begin, end) of something that is distributed.
struct Range {
    std::int64_t begin = 0;
    std::int64_t end = 0;
    [[nodiscard]] std::int64_t size() const { return end - begin; }
};

/// The share of part `index` of `parts` in `count` elements: [index count / parts,
/// (index + 1) count / parts), by floor division; correct for every count that fits 64 bits. Throws
/// Failure for a part that does not exist.
Range block_range(std::int64_t count, int parts, int index);

}  // namespace quartet
