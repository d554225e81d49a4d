#pragma once

namespace quartet::device {

/// The sums of four values over a warp, by six exchanges in place of twenty: lane l gets the sum of
/// values[l / 8].
__device__ inline double warp_sums(const double (&values)[4]) {
    constexpr unsigned all = 0xffffffff;
    const int lane = static_cast<int>(threadIdx.x) % 32;
    // Twice, each lane keeps half of its values, and sends the others to its partner.
    const bool upper = (lane & 16) != 0;
    const double first =
        (upper ? values[2] : values[0]) + __shfl_xor_sync(all, upper ? values[0] : values[2], 16);
    const double second =
        (upper ? values[3] : values[1]) + __shfl_xor_sync(all, upper ? values[1] : values[3], 16);
    const bool odd = (lane & 8) != 0;
    double sum = (odd ? second : first) + __shfl_xor_sync(all, odd ? first : second, 8);
    for (int offset = 4; offset > 0; offset /= 2)
        sum += __shfl_xor_sync(all, sum, offset);
    return sum;
}

}  // namespace quartet::device
