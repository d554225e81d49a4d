#include "fft/four_step.hpp"

#include <algorithm>

#include "device/host/loops/loops.hpp"
#include "device/require_views.hpp"
#include "fft/host_fft.hpp"
#include "system/processor.hpp"

namespace quartet::fft {

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

void ColumnFfts::run(device::View<const Point> tiles, device::View<double> parts,
                     device::Stream& stream) {
    require(tiles, shape().input_points(), "column FFTs: not the size of this rank's tiles");
    require(parts, shape().parts_size(), "column FFTs: not the size of this rank's parts");
    require_apart(tiles, parts);
    enqueue(tiles, parts, stream);
}

void RowFfts::run(std::span<const device::View<const double>> parts, device::View<Point> bins,
                  device::Stream& stream) {
    check(std::ssize(parts) == shape().ranks, "row FFTs: not a part from each rank");
    for (int from = 0; from < shape().ranks; ++from) {
        const device::View<const double>& part = parts[static_cast<std::size_t>(from)];
        require(part, shape().part_size(from, shape().rank), "row FFTs: a part of another size");
        require_apart(part, bins);
    }
    require(bins, shape().output_points(), "row FFTs: not the size of the result");
    enqueue(parts, bins, stream);
}

void Transpose::run(std::span<const device::View<const Point>> parts, device::View<Point> bins,
                    device::Stream& stream) {
    check(std::ssize(parts) == shape().ranks, "transpose: not a part from each rank");
    for (int from = 0; from < shape().ranks; ++from) {
        const device::View<const Point>& part = parts[static_cast<std::size_t>(from)];
        require(part, natural_part_points(shape(), from, shape().rank),
                "transpose: a part of another size");
        require_apart(part, bins);
    }
    require(bins, block_range(shape().points(), shape().ranks, shape().rank).size(),
            "transpose: not the size of the result");
    enqueue(parts, bins, stream);
}

void SingleRankFft::run(device::View<const Point> tiles, device::View<Point> bins,
                        device::Stream& stream) {
    require(tiles, shape().points(), "FFT: not the size of the tiles");
    require(bins, shape().points(), "FFT: not the size of the result");
    require_same_or_apart(tiles, bins);
    enqueue(tiles, bins, stream);
}

std::unique_ptr<FftFactory> make_fft_factory(device::Device& device) {
    if (device::has_own_memory(device))
        return make_cuda_ffts();
    return make_host_ffts(host_fft_settings(device));
}

HostFftSettings host_fft_settings(const device::Device& device) {
    return {device.threads(), device::loops_of(device.isa(), compiled_loops()),
            device.threads() * system::cache_share()};
}

}  // namespace quartet::fft
