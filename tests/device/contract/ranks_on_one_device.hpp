#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <complex>
#include <utility>
#include <vector>

#include "core/block_range.hpp"
#include "device/device.hpp"
#include "device/fft_factory.hpp"

namespace quartet::device {

/// One size of a four-step FFT on one number of ranks.
struct Size {
    std::int64_t tiles;
    std::int64_t length;
    int ranks;
};

/// All ranks of a four-step FFT, one after another on one device.
class RanksOnOneDevice {
  public:
    using Point = std::complex<double>;

    RanksOnOneDevice(Device& device, Stream& stream, const Size& size)
        : device_(device), stream_(stream), size_(size) {}

    [[nodiscard]] FourStepFft shape(int rank) const {
        return {size_.tiles, size_.length, size_.ranks, rank};
    }

    /// The transform of x, in the order of k, by column and row FFTs.
    std::vector<Point> transform(const std::vector<Point>& x) {
        run_column_ffts(x);
        std::vector<Point> bins(x.size());
        for (int rank = 0; rank < size_.ranks; ++rank) {
            const FourStepFft mine = shape(rank);
            const std::vector<Point> transposed = run_row_ffts(mine);
            const Range columns = mine.my_bins();
            for (std::int64_t k2 = 0; k2 < mine.tiles; ++k2)
                for (std::int64_t k1 = columns.begin; k1 < columns.end; ++k1)
                    bins[static_cast<std::size_t>(k1 + mine.length * k2)] =
                        transposed[static_cast<std::size_t>(k2 * columns.size() + k1 -
                                                            columns.begin)];
        }
        return bins;
    }

    /// The same, brought into natural order by Transpose.
    std::vector<Point> transform_to_natural(const std::vector<Point>& x) {
        run_column_ffts(x);
        std::vector<Buffer<Point>> transposed;
        for (int rank = 0; rank < size_.ranks; ++rank)
            transposed.push_back(upload(run_row_ffts(shape(rank))));
        std::vector<Point> bins;
        for (int rank = 0; rank < size_.ranks; ++rank) {
            std::vector<View<const Point>> parts;
            for (int from = 0; from < size_.ranks; ++from) {
                std::int64_t before = 0;
                for (int to = 0; to < rank; ++to)
                    before += natural_part_points(shape(from), from, to);
                parts.push_back(std::as_const(transposed[static_cast<std::size_t>(from)])
                                    .view()
                                    .part(before, natural_part_points(shape(from), from, rank)));
            }
            const Range mine = block_range(shape(0).points(), size_.ranks, rank);
            Buffer<Point> natural = allocate<Point>(device_, mine.size());
            const auto transpose = device_.ffts().plan_transpose(shape(rank));
            transpose->run(parts, natural.view(), stream_);
            const std::vector<Point> found = download(natural.view());
            bins.insert(bins.end(), found.begin(), found.end());
        }
        return bins;
    }

  private:
    void run_column_ffts(const std::vector<Point>& x) {
        parts_.clear();
        for (int rank = 0; rank < size_.ranks; ++rank) {
            const FourStepFft mine = shape(rank);
            std::vector<Point> tiles;
            for (std::int64_t t = mine.my_tiles().begin; t < mine.my_tiles().end; ++t)
                for (std::int64_t m = 0; m < mine.length; ++m)
                    tiles.push_back(x[static_cast<std::size_t>(t + mine.tiles * m)]);
            const Buffer<Point> input = upload(tiles);
            parts_.push_back(allocate<double>(device_, mine.parts_size()));
            const auto column_ffts = device_.ffts().plan_column_ffts(mine);
            column_ffts->run(input.view(), parts_.back().view(), stream_);
            EXPECT_EQ(download(input.view()), tiles) << "the tiles keep their values";
        }
    }

    std::vector<Point> run_row_ffts(const FourStepFft& mine) {
        std::vector<View<const double>> parts;
        for (int from = 0; from < mine.ranks; ++from) {
            const FourStepFft theirs = shape(from);
            std::int64_t before = 0;
            for (int to = 0; to < mine.rank; ++to)
                before += theirs.part_size(from, to);
            parts.push_back(std::as_const(parts_[static_cast<std::size_t>(from)])
                                .view()
                                .part(before, theirs.part_size(from, mine.rank)));
        }
        Buffer<Point> bins = allocate<Point>(device_, mine.output_points());
        const auto row_ffts = device_.ffts().plan_row_ffts(mine);
        EXPECT_FALSE(row_ffts->description().empty());
        row_ffts->run(parts, bins.view(), stream_);
        return download(bins.view());
    }

    Buffer<Point> upload(const std::vector<Point>& values) {
        const auto count = static_cast<std::int64_t>(values.size());
        Buffer<Point> staging = allocate<Point>(device_, count, MemoryKind::pinned);
        std::ranges::copy(values, staging.span().begin());
        Buffer<Point> buffer = allocate<Point>(device_, count);
        device_.copy(as_bytes(std::as_const(staging).view()), as_bytes(buffer.view()), stream_);
        stream_.synchronize();
        return buffer;
    }

    std::vector<Point> download(const View<const Point>& view) {
        Buffer<Point> staging = allocate<Point>(device_, view.size(), MemoryKind::pinned);
        device_.copy(as_bytes(view), as_bytes(staging.view()), stream_);
        stream_.synchronize();
        return {staging.span().begin(), staging.span().end()};
    }

    Device& device_;
    Stream& stream_;
    Size size_;
    std::vector<Buffer<double>> parts_;  ///< by rank
};

}  // namespace quartet::device
