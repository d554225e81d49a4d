#include "device/host/fft/small_fft_plan.hpp"

#include <array>
#include <limits>

#include "core/roots_of_unity.hpp"

namespace quartet::device {

namespace {

// Lengths with a butterfly, the best first: few stages, and results that stay in registers.
constexpr std::array radices{8, 16, 12, 10, 9, 7, 6, 5, 15, 4, 3, 2};

// The work of a point in a stage, in arbitrary units: its loads and stores, and what the butterfly
// needs beyond the registers.
double stage_cost(int radix) {
    return radix == 16 || radix == 15 ? 1.35 : radix == 12 || radix == 10 ? 1.15 : 1.0;
}

struct Choice {
    double cost = std::numeric_limits<double>::infinity();
    std::vector<int> radices;
};

// The cheapest stages for a length; no radices if there are none.
Choice cheapest(int length) {
    if (length == 1)
        return {0, {}};
    Choice best;
    for (const int radix : radices) {
        if (length % radix != 0)
            continue;
        Choice rest = cheapest(length / radix);
        if (rest.cost + stage_cost(radix) < best.cost) {
            rest.cost += stage_cost(radix);
            rest.radices.push_back(radix);
            best = std::move(rest);
        }
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

double SmallFftPlan::cost(std::int64_t length) {
    check(supports(length), "no small FFT of this length");
    return cheapest(static_cast<int>(length)).cost;
}

SmallFftPlan::SmallFftPlan(std::int64_t length) {
    check(supports(length), "no small FFT of this length");
    fft_.length = static_cast<int>(length);
    std::vector<int> radices_of_stages = cheapest(fft_.length).radices;
    while (radices_of_stages.size() < 2)
        radices_of_stages.push_back(1);
    check(radices_of_stages.size() <= SmallFft::most_stages, "an FFT of too many stages");
    int before = 1;
    for (const int radix : radices_of_stages) {
        const int after = fft_.length / (before * radix);
        std::vector<double>& twiddles = twiddles_.emplace_back();
        for (int c = 0; c < after; ++c) {
            for (int k = 0; k < radix; ++k) {
                const auto root = root_of_unity(
                    static_cast<std::uint64_t>(c) * static_cast<std::uint64_t>(k),
                    static_cast<std::uint64_t>(radix) * static_cast<std::uint64_t>(after));
                twiddles.push_back(static_cast<double>(root.real()));
                twiddles.push_back(static_cast<double>(root.imag()));
            }
        }
        fft_.stage[fft_.stages++] = {radix, before, after, twiddles.data()};
        before *= radix;
    }
}

}  // namespace quartet::device
