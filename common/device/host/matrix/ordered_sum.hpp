#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include "core/block_range.hpp"
#include "device/device_kind.hpp"
#include "system/parallel_for.hpp"

namespace quartet::device {

/// Partial sums of one dot: eight vector registers of eight. Four keep the adders busy, too, but
/// were measured to read memory 5% slower (29.6 and 31.0 GB/s on two cores, Sapphire Rapids).
inline constexpr std::int64_t sum_lanes_on_host = 64;

inline constexpr auto fetch_nothing = [](std::int64_t) {};

/// The sum of term(i) over a range of independent terms, after fetch(i) of each cache line. The
/// order of the additions is written out, so it does not depend on where the vectors lie.
template <typename Fetch, typename Term>
double sum_part(const Range& range, Fetch fetch, Term term) {
    constexpr std::int64_t lanes = sum_lanes_on_host;
    constexpr std::int64_t cache_line = 64 / sizeof(double);
    std::array<double, lanes> sums{};
    const std::int64_t whole = range.end - range.size() % lanes;
    for (std::int64_t i = range.begin; i < whole; i += lanes) {
        for (std::int64_t lane = 0; lane < lanes; lane += cache_line)
            fetch(i + lane);
#pragma omp simd
        for (std::int64_t lane = 0; lane < lanes; ++lane)
            sums[static_cast<std::size_t>(lane)] += term(i + lane);
    }
    for (std::int64_t i = whole; i < range.end; ++i)
        sums[static_cast<std::size_t>(i - whole)] += term(i);
    double sum = 0;
    for (const double partial : sums)
        sum += partial;
    return sum;
}

/// The sum of term(i) over `size` elements in `parts` parts. The parts decide the order, not the
/// number of threads that OpenMP grants: the same bits.
template <typename Fetch, typename Term>
double sum_all(int parts, std::int64_t size, Fetch fetch, Term term) {
    std::array<double, DeviceSettings::most_threads> partials;
    system::parallel_parts(parts, [&, parts](int part) {
        partials[static_cast<std::size_t>(part)] =
            sum_part(block_range(size, parts, part), fetch, term);
    });
    double sum = 0;
    for (int part = 0; part < parts; ++part)
        sum += partials[static_cast<std::size_t>(part)];
    return sum;
}

}  // namespace quartet::device
