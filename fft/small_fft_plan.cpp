#include "fft/host_fft.hpp"

#include <array>
#include <limits>
#include <utility>

namespace quartet::fft {

namespace {

// Lengths with a butterfly, the best first: few stages, and results that stay in registers.
constexpr std::array radices{8, 16, 12, 10, 9, 7, 6, 5, 15, 4, 3, 2};

// The work of a point in a stage, in arbitrary units: its loads and stores, and what the butterfly
// needs beyond the registers. Measured on Zen 4: of 2^16 points as 256 x 256, radices 16 and 16
// are faster than 8, 8 and 4 by 5% where there are 32 registers, and slower by 10% where there
// are 16.
double stage_cost(int radix, int registers) {
    const double spilt = registers < 32 ? 1.6 : 1.45;
    return radix == 16 || radix == 15 ? spilt : radix == 12 || radix == 10 ? 1.15 : 1.0;
}

struct Choice {
    double cost = std::numeric_limits<double>::infinity();
    std::vector<int> radices;
};

// The cheapest stages for a length; no radices if there are none.
Choice cheapest(int length, int registers) {
    if (length == 1)
        return {0, {}};
    Choice best;
    for (const int radix : radices) {
        if (length % radix != 0)
            continue;
        Choice rest = cheapest(length / radix, registers);
        rest.cost += stage_cost(radix, registers);
        if (rest.cost < best.cost) {
            rest.radices.push_back(radix);
            best = std::move(rest);
        }
    }
    return best;
}

// The cheapest stages with points in the lanes. If there are none, points are loaded one by one.
Choice cheapest(int length, int registers, Lanes lanes) {
    constexpr double one_by_one = 1;
    // Measured on Zen 3: of 2^10 points as 8 x 128, 8 and then 16 are faster than 16 and 8 by 10%.
    // Blocks that a stage writes through the caches lie in one set of the first-level cache, which
    // 16 exceed: with AVX2 on Emerald Rapids, tiles of 2^13 points took 1.8 times as long by 8 and
    // 16 as by 16 and 8.
    const double last_of_16 =
        lanes == Lanes::points_to_blocks ? 1.7 : std::min(stage_cost(16, registers), 1.5);
    Choice best = cheapest(length, registers);
    if (lanes == Lanes::transforms)
        return best;
    best.cost += one_by_one;
    for (const int last : {16, 8}) {
        const int first = length / last;
        if (length % last != 0 || (first > 1 && std::ranges::find(radices, first) == radices.end()))
            continue;
        const double cost = (last == 16 ? last_of_16 : stage_cost(last, registers)) +
                            (first > 1 ? stage_cost(first, registers) : 0);
        if (cost < best.cost)
            best = {cost, first == 1 ? std::vector{last} : std::vector{first, last}};
    }
    return best;
}

}  // namespace

bool SmallFftPlan::supports(std::int64_t length) {
    if (length < 1 || length > longest)
        return false;
    for (const std::int64_t prime : {2, 3, 5, 7})
        while (length % prime == 0)
            length /= prime;
    return length == 1;
}

SmallFftPlan::SmallFftPlan(std::int64_t length, int registers, Lanes lanes) {
    check(supports(length), "no small FFT of this length");
    fft_.length = static_cast<int>(length);
    std::vector<int> radices_of_stages = cheapest(fft_.length, registers, lanes).radices;
    if (radices_of_stages.empty())
        radices_of_stages.push_back(1);
    check(radices_of_stages.size() <= SmallFft::most_stages, "an FFT of too many stages");
    int before = 1;
    for (const int radix : radices_of_stages) {
        const int after = fft_.length / (before * radix);
        std::vector<double>& twiddles = twiddles_.emplace_back();
        for (int c = 0; c < after; ++c) {
            for (int k = 0; k < radix; ++k) {
                const Point root(
                    root_of_unity(static_cast<std::uint64_t>(std::int64_t{c} * k),
                                  static_cast<std::uint64_t>(std::int64_t{radix} * after)));
                twiddles.push_back(root.real());
                twiddles.push_back(root.imag());
            }
        }
        fft_.stage[fft_.stages++] = {radix, before, after, twiddles.data()};
        before *= radix;
    }
    has_points_in_lanes_ = lanes != Lanes::transforms && fft_.stages <= 2 &&
                           radices_of_stages.back() % FourStepFft::block_bins == 0;
}

std::optional<TwoLevels> two_levels(std::int64_t length, std::int64_t least, std::int64_t whole,
                                    int registers, Lanes second_lanes) {
    constexpr double dearer = 4;
    // The cost, in stages, of the ratio of the two lengths; and how much dearer the first is, since
    // its points are strided. Measured on Zen 3 at 2^10 to 2^16 points with points in the lanes.
    const bool in_lanes = second_lanes != Lanes::transforms;
    const double unbalanced = in_lanes ? 0.005 : 0.2;
    const double strided = in_lanes ? 1.08 : 1;
    std::optional<TwoLevels> best;
    double lowest = std::numeric_limits<double>::infinity();
    for (std::int64_t first = least; first <= SmallFftPlan::longest; ++first) {
        const std::int64_t second = length / first;
        if (length % first != 0 || second < least || !SmallFftPlan::supports(first) ||
            !SmallFftPlan::supports(second))
            continue;
        const double larger = static_cast<double>(std::max(first, second)) /
                              static_cast<double>(std::min(first, second));
        const double cost = strided * cheapest(static_cast<int>(first), registers).cost +
                            cheapest(static_cast<int>(second), registers, second_lanes).cost +
                            (first % whole == 0 ? 0 : dearer) + unbalanced * larger;
        if (cost < lowest) {
            lowest = cost;
            best = TwoLevels{first, second, second_lanes};
        }
    }
    return best;
}

}  // namespace quartet::fft
