#include "fft/problem/default_tiles.hpp"

#include <algorithm>
#include <cmath>
#include <functional>
#include <iterator>
#include <optional>

#include "core/block_range.hpp"
#include "device/four_step_fft.hpp"

namespace quartet::fft {

namespace {

constexpr std::int64_t longest_usual_tile = std::int64_t{1} << 13;
constexpr std::int64_t shortest_tile =
    device::FourStepFft::block_bins;  // else blocks are half empty
constexpr double as_even = 1.05;  // as the most even tiles, if the largest part is so much longer

// Points of the largest part that a rank sends to another, with the empty lanes of its last block.
// All ranks wait for the rank that has it.
std::int64_t largest_part(std::int64_t points, std::int64_t tiles, int ranks) {
    const std::int64_t bins = divide_up(points / tiles, ranks);
    return divide_up(tiles, ranks) * divide_up(bins, shortest_tile) * shortest_tile;
}

// The smallest of these ascending numbers of tiles that deals them nearly as evenly as any.
// Nothing if there are none.
std::optional<std::int64_t> most_even(const std::vector<std::int64_t>& possible,
                                      std::int64_t points, int ranks) {
    const auto part = [&](std::int64_t tiles) { return largest_part(points, tiles, ranks); };
    if (possible.empty()) {
        return std::nullopt;
    }
    const std::int64_t smallest = part(*std::ranges::min_element(possible, {}, part));
    return *std::ranges::find_if(possible, [&](std::int64_t tiles) {
        return static_cast<double>(part(tiles)) <= as_even * static_cast<double>(smallest);
    });
}

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
    std::vector<std::int64_t> uneven;
    std::ranges::copy_if(all, std::back_inserter(uneven), [&](std::int64_t tiles) {
        return length(tiles) >= shortest_tile && length(tiles) <= longest;
    });
    return most_even(uneven, points, ranks).value_or(1);
}

std::int64_t nearest_divisor(std::int64_t points, std::int64_t wanted) {
    const std::vector<std::int64_t> all = divisors(points);
    const auto distance = [&](std::int64_t divisor) {
        return std::abs(std::log(static_cast<double>(divisor) / static_cast<double>(wanted)));
    };
    return *std::ranges::min_element(all, {}, distance);
}

}  // namespace quartet::fft
