#include "fft/roots_of_unity.hpp"

#include <bit>
#include <cmath>
#include <numbers>

#include "core/check.hpp"

namespace quartet::fft {

namespace {

__extension__ using Wide = unsigned __int128;

// Half of the exponent's bits, rounded up.
int fine_bits(std::int64_t order) {
    return static_cast<int>(std::bit_width(static_cast<std::uint64_t>(order)) + 1) / 2;
}

std::uint64_t coarse_entries(std::int64_t order) {
    return (static_cast<std::uint64_t>(order - 1) >> fine_bits(order)) + 1;
}

}  // namespace

std::uint64_t multiply_modulo(std::uint64_t a, std::uint64_t b, std::uint64_t modulus) {
    return static_cast<std::uint64_t>(Wide{a} * b % modulus);
}

std::complex<long double> root_of_unity(std::uint64_t numerator, std::uint64_t denominator) {
    const std::uint64_t position = numerator % denominator;
    // Eighths of the circle: the angle that is left is small, and its sine and cosine are exact to
    // the last bit or two. 8 position / denominator without overflow.
    const Wide eightfold = Wide{position} * 8;
    const auto eighth = static_cast<int>(eightfold / denominator);
    const bool odd = eighth % 2 != 0;
    const Wide within = eightfold % denominator;
    const auto rest = static_cast<long double>(
        static_cast<std::uint64_t>(odd ? Wide{denominator} - within : within));
    const long double angle =
        std::numbers::pi_v<long double> / 4 * (rest / static_cast<long double>(denominator));
    // cos and sin of the angle from the nearer axis.
    const long double near = std::cos(angle);
    const long double off = std::sin(angle);
    switch (eighth) {
        case 0:
            return {near, -off};
        case 1:
            return {off, -near};
        case 2:
            return {-off, -near};
        case 3:
            return {-near, -off};
        case 4:
            return {-near, off};
        case 5:
            return {-off, near};
        case 6:
            return {off, near};
        default:
            return {near, off};
    }
}

RootsOfUnity::RootsOfUnity(std::int64_t order) : order_(static_cast<std::uint64_t>(order)) {
    check(order >= 1 && order <= std::int64_t{1} << 62, "roots of unity of an impossible order");
    shift_ = fine_bits(order);
    mask_ = (std::uint64_t{1} << shift_) - 1;
    const auto fill = [&](std::vector<std::complex<double>>& table, std::uint64_t count,
                          int shift) {
        table.reserve(count);
        for (std::uint64_t index = 0; index < count; ++index) {
            table.emplace_back(root_of_unity(index << shift, order_));
        }
    };
    fill(coarse_, coarse_entries(order), shift_);
    fill(fine_, mask_ + 1, 0);
}

RootsOfUnity::RootsOfUnity(device::Arena& arena, std::int64_t order) {
    const std::uint64_t entries = coarse_entries(order) + (std::uint64_t{1} << fine_bits(order));
    arena.reserve(bytes_of<std::complex<double>>(static_cast<std::int64_t>(entries)));
    if (!arena.plans())
        *this = RootsOfUnity(order);
}

}  // namespace quartet::fft
