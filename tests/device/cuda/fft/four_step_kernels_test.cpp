#include "device/cuda/fft/four_step_kernels.hpp"

#include <complex>
#include <numbers>
#include <utility>

#include "core/block_range.hpp"
#include "device/cuda/gpu_array.hpp"

namespace quartet::device {
namespace {

using Point = std::complex<double>;

// Tiles and their length: one, ragged, prime, longer than a run of a thread block.
constexpr std::pair<std::int64_t, std::int64_t> shapes[] = {{1, 1},   {1, 100},  {3, 37},
                                                            {64, 31}, {5, 5003}, {33, 129}};

Point power(std::int64_t exponent, std::int64_t order) {
    const double angle =
        -2 * std::numbers::pi * static_cast<double>(exponent % order) / static_cast<double>(order);
    return {std::cos(angle), std::sin(angle)};
}
Point point(std::int64_t i) {
    return {number(i), number(i + 1000)};
}
double2 as_pair(Point p) {
    return {p.real(), p.imag()};
}
std::vector<double2> points(std::int64_t count) {
    std::vector<double2> made(at(count));
    for (std::int64_t i = 0; i < count; ++i)
        made[at(i)] = as_pair(point(i));
    return made;
}
void expect_point(double2 is, Point wanted) {
    EXPECT_NEAR(is.x, wanted.real(), 1e-14);
    EXPECT_NEAR(is.y, wanted.imag(), 1e-14);
}

std::vector<double2> powers(std::int64_t count, std::int64_t step, std::int64_t order) {
    std::vector<double2> made(at(count));
    for (std::int64_t i = 0; i < count; ++i)
        made[at(i)] = as_pair(power(i * step, order));
    return made;
}

/// The twiddles of a transform of `order` points.
struct Tables {
    explicit Tables(std::int64_t order)
        : split(split_twiddles(order)),
          coarse(powers(split.coarse_entries(order), split.fine_entries(), order)),
          fine(powers(split.fine_entries(), 1, order)) {}
    [[nodiscard]] Twiddles twiddles() const { return {coarse.data(), fine.data(), split}; }

    TwiddleSplit split;
    GpuArray<double2> coarse;
    GpuArray<double2> fine;
};

std::int64_t part_size(std::int64_t bins, std::int64_t tiles) {
    return divide_up(bins, fft_block_bins) * tiles * 2 * fft_block_bins;
}
Point in_part(const std::vector<double>& part, std::int64_t bin, std::int64_t tile,
              std::int64_t tiles) {
    const std::int64_t place = offset_in_part(bin, tile, tiles);
    return {part[at(place)], part[at(place + fft_block_bins)]};
}

class FourStepKernelsTest : public KernelTest {};

TEST_F(FourStepKernelsTest, MultipliesByTwiddlesInPlace) {
    for (const auto& [tiles, length] : shapes) {
        const Tables tables(tiles * length);
        const GpuArray<double2> bins(points(tiles * length));

        launch_twiddles({tiles, length}, tables.twiddles(), bins.data(), stream);
        finish();

        const std::vector<double2> found = bins.values();
        for (std::int64_t t = 0; t < tiles; ++t)
            for (std::int64_t k = 0; k < length; ++k)
                expect_point(found[at(t * length + k)],
                             point(t * length + k) * power(t * k, tiles * length));
    }
}

TEST_F(FourStepKernelsTest, TransposesIntoWiderRows) {
    for (const auto& [columns, rows] : shapes) {
        const std::int64_t stride = columns + 3;
        const GpuArray<double2> source(points(columns * rows));
        const GpuArray<double2> target(rows * stride, double2{unwritten, unwritten});

        launch_transpose({rows, columns, 2, stride}, source.data(), target.data(), stream);
        finish();

        const std::vector<double2> found = target.values();
        for (std::int64_t row = 0; row < rows; ++row)
            for (std::int64_t place = 0; place < stride; ++place) {
                const std::int64_t column = place - 2;
                const bool written = column >= 0 && column < columns;
                expect_point(found[at(row * stride + place)],
                             written ? point(column * rows + row) : Point{unwritten, unwritten});
            }
    }
}

// Two batches of a sender's tiles, the bins of one receiver of two.
TEST_F(FourStepKernelsTest, PacksAReceiversBinsAndUnpacksThem) {
    for (const auto& [tiles, length] : shapes) {
        const Tables tables(tiles * length);
        const GpuArray<double2> transformed(points(tiles * length));
        const std::int64_t first_bin = length / 2;
        const std::int64_t bins = length - first_bin;
        const std::int64_t first = tiles / 2;
        const GpuArray<double> part(part_size(bins, tiles), unwritten);
        const GpuArray<double2> columns(bins * tiles, double2{unwritten, unwritten});

        launch_pack({first, length, 0, 0, tiles, first_bin, bins}, tables.twiddles(),
                    transformed.data(), part.data(), stream);
        launch_pack({tiles - first, length, first, first, tiles, first_bin, bins},
                    tables.twiddles(), transformed.data() + first * length, part.data(), stream);
        launch_unpack({0, bins, 0, tiles, tiles}, part.data(), columns.data(), stream);
        finish();

        const std::vector<double> packed = part.values();
        const std::vector<double2> found = columns.values();
        for (std::int64_t t = 0; t < tiles; ++t)
            for (std::int64_t bin = 0; bin < bins; ++bin) {
                const std::int64_t k = first_bin + bin;
                const Point wanted = point(t * length + k) * power(t * k, tiles * length);
                expect_point(as_pair(in_part(packed, bin, t, tiles)), wanted);
                expect_point(found[at(bin * tiles + t)], wanted);
            }
    }
}

TEST_F(FourStepKernelsTest, UnpacksSomeBinsOfSeveralSenders) {
    constexpr std::int64_t of_sender = 5;
    constexpr std::int64_t tiles = 11;
    constexpr std::int64_t first_bin = 8;
    constexpr std::int64_t bins = 13;
    const GpuArray<double> part(numbers(part_size(first_bin + bins, of_sender)));
    const GpuArray<double2> columns(bins * tiles, double2{unwritten, unwritten});

    launch_unpack({first_bin, bins, 4, of_sender, tiles}, part.data(), columns.data(), stream);
    finish();

    const std::vector<double> packed = part.values();
    const std::vector<double2> found = columns.values();
    for (std::int64_t bin = 0; bin < bins; ++bin)
        for (std::int64_t t = 0; t < tiles; ++t) {
            const bool of_part = t >= 4 && t < 4 + of_sender;
            expect_point(found[at(bin * tiles + t)],
                         of_part ? in_part(packed, first_bin + bin, t - 4, of_sender)
                                 : Point{unwritten, unwritten});
        }
}

TEST_F(FourStepKernelsTest, ScattersTilesAmongBlocks) {
    for (const auto& [tiles, length] : shapes) {
        const Tables tables(tiles * length);
        const GpuArray<double> blocks(numbers(part_size(length, 1)));
        const GpuArray<double> parts(part_size(length, tiles), unwritten);
        const std::int64_t tile = tiles - 1;

        launch_scatter_tile({tile, tiles, length}, tables.twiddles(), blocks.data(), parts.data(),
                            stream);
        finish();

        const std::vector<double> from = blocks.values();
        const std::vector<double> found = parts.values();
        for (std::int64_t k = 0; k < length; ++k)
            expect_point(as_pair(in_part(found, k, tile, tiles)),
                         in_part(from, k, 0, 1) * power(tile * k, tiles * length));
    }
}

TEST_F(FourStepKernelsTest, PutsBinsInNaturalOrder) {
    const TransposedColumns columns{3, 5, 17};
    constexpr std::int64_t before = 7;
    constexpr std::int64_t count = 41;
    const std::int64_t first = columns.bin(before);
    const GpuArray<double2> part(points(count));
    const GpuArray<double2> bins(columns.bin(before + count - 1) - first + 1, double2{0, 0});

    launch_natural_order({columns, before, count, first}, part.data(), bins.data(), stream);
    finish();

    const std::vector<double2> found = bins.values();
    for (std::int64_t i = 0; i < count; ++i) {
        const std::int64_t index = before + i;
        expect_point(found[at(index / 5 * 17 + 3 + index % 5 - first)], point(i));
    }
}

}  // namespace
}  // namespace quartet::device
