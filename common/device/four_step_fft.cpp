#include "device/four_step_fft.hpp"

#include <algorithm>

namespace quartet::device {

void require_valid(const FourStepFft& shape) {
    constexpr std::int64_t most = std::int64_t{1} << 62;
    check(shape.tiles >= 1 && shape.length >= 1,
          "four-step FFT: no tiles, or tiles without points");
    check(shape.tiles <= most / shape.length, "four-step FFT: more points than can be counted");
    check(shape.rank >= 0 && shape.rank < shape.ranks, "four-step FFT: no such rank");
}

std::int64_t bins_below(const FourStepFft& shape, int owner, std::int64_t k) {
    const Range mine = shape.bins_of(owner);
    const std::int64_t in_last_row =
        std::clamp<std::int64_t>(k % shape.length - mine.begin, 0, mine.size());
    return k / shape.length * mine.size() + in_last_row;
}

std::int64_t natural_part_points(const FourStepFft& shape, int from, int to) {
    const Range target = block_range(shape.points(), shape.ranks, to);
    return bins_below(shape, from, target.end) - bins_below(shape, from, target.begin);
}

}  // namespace quartet::device
