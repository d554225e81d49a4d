#include "device/four_step_fft.hpp"

#include <algorithm>

namespace quartet::device {

void require_valid(const FourStepFft& split) {
    constexpr std::int64_t most = std::int64_t{1} << 62;
    check(split.tiles >= 1 && split.length >= 1, "split fft: no tiles, or tiles without points");
    check(split.tiles <= most / split.length, "split fft: more points than can be counted");
    check(split.rank >= 0 && split.rank < split.ranks, "split fft: no such rank");
}

std::int64_t bins_below(const FourStepFft& split, int owner, std::int64_t k) {
    const Range mine = split.bins_of(owner);
    const std::int64_t in_last_row =
        std::clamp<std::int64_t>(k % split.length - mine.begin, 0, mine.size());
    return k / split.length * mine.size() + in_last_row;
}

std::int64_t natural_part_points(const FourStepFft& split, int from, int to) {
    const Range target = block_range(split.points(), split.ranks, to);
    return bins_below(split, from, target.end) - bins_below(split, from, target.begin);
}

}  // namespace quartet::device
