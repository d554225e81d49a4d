#include "fft/native/default_tiles.hpp"

#include <algorithm>
#include <cmath>
#include <functional>
#include <optional>

#include "device/four_step_fft.hpp"

namespace quartet::fft {

namespace {

constexpr std::int64_t longest_usual_tile = std::int64_t{1} << 13;
constexpr std::int64_t shortest_tile =
    device::FourStepFft::block_bins;  // else blocks are half empty

}  // namespace

std::vector<std::int64_t> divisors(std::int64_t number) {
    std::vector<std::int64_t> low;
    std::vector<std::int64_t> high;
    for (std::int64_t divisor = 1; divisor <= number / divisor; ++divisor) {
        if (number % divisor == 0) {
            low.push_back(divisor);
            if (divisor != number / divisor) {
                high.push_back(number / divisor);
            }
        }
    }
    low.insert(low.end(), high.rbegin(), high.rend());
    return low;
}

std::int64_t longest_tile(std::int64_t points) {
    std::int64_t length = longest_usual_tile;
    while (length < points / length) {
        length *= 2;
    }
    return length;
}

std::int64_t default_tiles(std::int64_t points, int ranks) {
    const std::vector<std::int64_t> all = divisors(points);
    const std::int64_t longest = longest_tile(points);
    const auto length = [&](std::int64_t tiles) { return points / tiles; };
    const auto usable = [&](std::int64_t tiles) {
        return tiles % ranks == 0 && length(tiles) >= shortest_tile;
    };
    const auto least =
        [&](const std::function<bool(std::int64_t)>& good) -> std::optional<std::int64_t> {
        const auto found = std::ranges::find_if(all, good);
        return found == all.end() ? std::nullopt : std::optional(*found);
    };
    const auto whole_blocks = least([&](std::int64_t tiles) {
        return usable(tiles) && length(tiles) <= longest &&
               length(tiles) % (shortest_tile * ranks) == 0;
    });
    const auto fitting =
        least([&](std::int64_t tiles) { return usable(tiles) && length(tiles) <= longest; });
    if (whole_blocks || fitting) {
        return whole_blocks.value_or(fitting.value_or(1));
    }
    // Too long for the cache, or not the same number on each rank.
    const auto last = std::ranges::find_if(all.rbegin(), all.rend(), usable);
    if (last != all.rend()) {
        return *last;
    }
    const auto uneven = least([&](std::int64_t tiles) {
        return length(tiles) >= shortest_tile && length(tiles) <= longest;
    });
    return uneven.value_or(1);
}

std::int64_t nearest_divisor(std::int64_t points, std::int64_t wanted) {
    const std::vector<std::int64_t> all = divisors(points);
    const auto distance = [&](std::int64_t divisor) {
        return std::abs(std::log(static_cast<double>(divisor) / static_cast<double>(wanted)));
    };
    return *std::ranges::min_element(all, {}, distance);
}

}  // namespace quartet::fft
