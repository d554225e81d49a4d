#include "fft/problem/problem.hpp"

#include <gmock/gmock.h>

#include <set>

#include "core/data_source.hpp"
#include "core/message_of.hpp"

namespace quartet::fft {
namespace {

using testing::AllOf;
using testing::HasSubstr;

TEST(FftProblem, CountsOperationsAndTraffic) {
    const Problem problem{std::int64_t{1} << 31, 128, ResultOrder::transposed};
    const bench::Work work = problem.work(4);
    EXPECT_EQ(work.unit, bench::RateUnit::gflops);
    EXPECT_EQ(work.flops.value, 5.0 * 31 * 0x1p31);
    EXPECT_EQ(work.bytes.value, std::int64_t{1} << 37);
    EXPECT_EQ(work.workers, 4);
}

TEST(FftProblem, TakesTilesThatDivideThePointsOnly) {
    Options options;
    options.tiles = 50;
    EXPECT_EQ(problem(options, 1000, 3).length(), 20);
    options.tiles = 48;
    EXPECT_THAT(message_of<UsageError>([&] { static_cast<void>(problem(options, 1000, 3)); }),
                AllOf(HasSubstr("--tiles"), HasSubstr("48"), HasSubstr("use 50")));
}

// Every rank's indices together are all of them, once.
TEST(FftProblem, DistributesInputAndOutput) {
    for (const ResultOrder order : {ResultOrder::transposed, ResultOrder::natural}) {
        for (const auto& [tiles, length] : {std::pair{6, 10}, {10, 6}, {1, 7}, {7, 1}, {3, 3}}) {
            const Problem problem{tiles * length, tiles, order};
            for (const int ranks : {1, 2, 4}) {
                std::set<std::int64_t> n;
                std::set<std::int64_t> k;
                for (int rank = 0; rank < ranks; ++rank) {
                    const IndexOrder input = problem.input_order(ranks, rank);
                    const IndexOrder output = problem.output_order(ranks, rank);
                    for (std::int64_t row = 0; row < input.rows; ++row) {
                        for (std::int64_t column = 0; column < input.columns; ++column) {
                            n.insert(input.index(row, column));
                        }
                    }
                    for (std::int64_t row = 0; row < output.rows; ++row) {
                        for (std::int64_t column = 0; column < output.columns; ++column) {
                            k.insert(output.index(row, column));
                        }
                    }
                }
                EXPECT_EQ(std::ssize(n), problem.points);
                EXPECT_EQ(std::ssize(k), problem.points);
                EXPECT_EQ(*n.rbegin(), problem.points - 1);
                EXPECT_EQ(*k.rbegin(), problem.points - 1);
            }
        }
    }
}

TEST(FftData, IsAFunctionOfSeedAndIndex) {
    std::vector<Point> all(60);
    fill_points(all, 5, 0, 1);
    std::vector<Point> tile(10);
    fill_points(tile, 5, 2, 6);
    for (std::size_t m = 0; m < tile.size(); ++m) {
        EXPECT_EQ(tile[m], all[2 + 6 * m]);
    }
    const DataSource source(5, "fft/x");
    EXPECT_EQ(all[7].real(), source.uniform_double(14) - 0.5);
    EXPECT_EQ(all[7].imag(), source.uniform_double(15) - 0.5);
    std::vector<Point> other(60);
    fill_points(other, 6, 0, 1);
    EXPECT_NE(other, all);
}

TEST(FftData, FillsTilesPartByPart) {
    const Problem problem{60, 6};
    std::vector<Point> whole(60);
    for (std::int64_t tile = 0; tile < 6; ++tile) {
        fill_points(std::span(whole).subspan(static_cast<std::size_t>(10 * tile), 10), 5, tile, 6);
    }
    for (const std::int64_t size : {1, 7, 10, 25, 60}) {
        std::vector<Point> parts(60);
        for (std::int64_t first = 0; first < 60; first += size) {
            fill_tiles(std::span(parts).subspan(
                           static_cast<std::size_t>(first),
                           static_cast<std::size_t>(std::min(size, std::int64_t{60} - first))),
                       5, problem, first);
        }
        EXPECT_EQ(parts, whole) << size;
    }
}

TEST(FftData, GoesBeyond32Bits) {
    std::vector<Point> tile(2);
    const std::int64_t far = std::int64_t{1} << 40;
    fill_points(tile, 1, far, 3);
    EXPECT_EQ(tile[1].real(), DataSource(1, "fft/x").uniform_double(2 * (far + 3)) - 0.5);
}

}  // namespace
}  // namespace quartet::fft
