#include "fft/four_step.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <numbers>
#include <type_traits>

#include "device/host/loops/loops.hpp"
#include "device/require_views.hpp"
#include "fft/host_fft.hpp"
#include "system/processor.hpp"

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
    const bool steep = eighth % 4 == 1 || eighth % 4 == 2;
    const long double cos = steep ? off : near;
    const long double sin = steep ? near : off;
    return {eighth >= 2 && eighth < 6 ? -cos : cos, eighth >= 4 ? sin : -sin};
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

template <typename Number>
void TileStep<Number>::run(device::View<const Point> tiles, device::View<Number> results,
                           device::Stream& stream) {
    constexpr bool makes_parts = std::is_same_v<Number, double>;
    require(tiles, shape().input_points(), "FFTs of tiles: not the size of this rank's tiles");
    require(results, makes_parts ? shape().parts_size() : shape().points(),
            "FFTs of tiles: not the size of the results");
    if (makes_parts)
        require_apart(tiles, results);
    else
        require_same_or_apart(tiles, results);
    enqueue(tiles, results, stream);
}

template <typename Number>
void PartStep<Number>::run(std::span<const device::View<const Number>> parts,
                           device::View<Point> bins, device::Stream& stream) {
    constexpr bool is_natural = std::is_same_v<Number, Point>;
    const FourStepFft& mine = shape();
    check(std::ssize(parts) == mine.ranks, "FFTs over tiles: not a part from each rank");
    for (int from = 0; from < mine.ranks; ++from) {
        const device::View<const Number>& part = parts[static_cast<std::size_t>(from)];
        require(part,
                is_natural ? natural_part_points(mine, from, mine.rank)
                           : mine.part_size(from, mine.rank),
                "FFTs over tiles: a part of another size");
        require_apart(part, bins);
    }
    require(bins,
            is_natural ? block_range(mine.points(), mine.ranks, mine.rank).size()
                       : mine.output_points(),
            "FFTs over tiles: not the size of the result");
    enqueue(parts, bins, stream);
}

template class TileStep<double>;
template class TileStep<Point>;
template class PartStep<double>;
template class PartStep<Point>;

std::unique_ptr<FftFactory> make_fft_factory(device::Device& device) {
    if (device::has_own_memory(device))
        return make_cuda_ffts();
    return make_host_ffts(host_fft_settings(device));
}

HostFftSettings host_fft_settings(const device::Device& device) {
    static const Bytes of_core = system::cache_share(system::caches());
    return {device.threads(), device::loops_of(device.isa(), compiled_loops()),
            device.threads() * of_core};
}

}  // namespace quartet::fft
