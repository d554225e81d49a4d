#include "fft/problem.hpp"

#include <gmock/gmock.h>

#include <set>

#include "core/data_source.hpp"
#include "core/message_of.hpp"

namespace quartet::fft {
namespace {

using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;

Options parsed(std::vector<const char*> arguments) {
    bench::CommandLine command_line("fft", "");
    Options options;
    add_options(command_line, options);
    arguments.insert(arguments.begin(), "fft");
    command_line.parse(static_cast<int>(arguments.size()), arguments.data());
    return options;
}

TEST(FftOptions, ReadsTheFlags) {
    const Options options = parsed({"--size", "2^30", "--tiles", "128", "--order", "natural",
                                    "--plan", "measure", "--data", "here", "--keep"});
    EXPECT_THAT(options.sizes, ElementsAre(1 << 30));
    EXPECT_EQ(options.tiles, 128);
    EXPECT_EQ(options.order, ResultOrder::natural);
    EXPECT_EQ(options.planning, Planning::measure);
    EXPECT_EQ(options.data.folder, "here");
    EXPECT_EQ(options.data.keep, bench::Switch::on);
    EXPECT_THAT(parsed({"--size", "44100"}).sizes, ElementsAre(44100));
}

TEST(FftOptions, RefusesByNameWhatIsOutOfRange) {
    EXPECT_THAT(message_of<UsageError>([] { parsed({"--size", "0"}); }), HasSubstr("--size"));
    EXPECT_THAT(message_of<UsageError>([] { parsed({"--size", "2^45"}); }), HasSubstr("--size"));
    EXPECT_THAT(message_of<UsageError>([] { parsed({"--size", "12x"}); }), HasSubstr("--size"));
    EXPECT_THAT(message_of<UsageError>([] { parsed({"--tiles", "-3"}); }), HasSubstr("--tiles"));
    EXPECT_THAT(message_of<UsageError>([] {
                    parsed({"--order", "bit-reversed"});
                }),
                HasSubstr("transposed|natural"));
    EXPECT_THAT(message_of<UsageError>([] {
                    parsed({"--plan", "exhaustive"});
                }),
                HasSubstr("estimate|measure|patient"));
}

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

std::int64_t power(int exponent) {
    return std::int64_t{1} << exponent;
}

TEST(DefaultTiles, AreTheFewestThatFitTheCache) {
    EXPECT_EQ(default_tiles(power(24), 2), power(24) / longest_tile(power(24)));
    for (const int exponent : {20, 24, 26, 28, 32, 40}) {
        const std::int64_t points = power(exponent);
        for (const int ranks : {1, 2, 4, 64}) {
            const std::int64_t tiles = default_tiles(points, ranks);
            EXPECT_EQ(points % tiles, 0);
            EXPECT_EQ(tiles % ranks, 0);
            EXPECT_LE(points / tiles, longest_tile(points));
        }
    }
}

TEST(DefaultTiles, ForAwkwardSizesDivideThePoints) {
    for (const std::int64_t points : {1, 2, 3, 5, 7, 8, 9, 100, 1009, 1000003, 4096}) {
        for (const int ranks : {1, 2, 3, 4, 7}) {
            const std::int64_t tiles = default_tiles(points, ranks);
            ASSERT_GE(tiles, 1);
            EXPECT_EQ(points % tiles, 0) << points << " on " << ranks;
        }
    }
    EXPECT_EQ(default_tiles(1000003, 4), 1) << "a prime";
}

TEST(IndexOrder, FindsEveryElementThatItHas) {
    const IndexOrder orders[] = {
        {2, 3, 5, 1, 10},    // tiles
        {100, 1, 50, 0, 1},  // a block
        {4, 7, 3, 12, 1},    // transposed
        {0, 1, 1, 0, 1},     // a single element
        {6, 4, 4, 0, 1},     // rows with the same indices: one of them is found
    };
    for (const IndexOrder& order : orders) {
        for (std::int64_t row = 0; row < order.rows; ++row) {
            for (std::int64_t column = 0; column < order.columns; ++column) {
                const std::int64_t index = order.index(row, column);
                const auto position = order.position(index);
                ASSERT_TRUE(position.has_value()) << index;
                EXPECT_EQ(order.index(*position / order.columns, *position % order.columns), index);
            }
        }
    }
}

TEST(IndexOrder, DoesNotFindOthers) {
    const IndexOrder transposed{4, 7, 3, 12, 1};
    for (const std::int64_t index : {0, 3, 7, 15, 19, 4 + 7 * 12}) {
        EXPECT_FALSE(transposed.position(index).has_value()) << index;
    }
    EXPECT_FALSE((IndexOrder{0, 5, 0, 1, 1}.position(0).has_value()));
    EXPECT_FALSE((IndexOrder{}.position(0).has_value()));
}

TEST(IndexOrder, GoesBeyond32Bits) {
    const std::int64_t length = std::int64_t{1} << 20;
    const IndexOrder tiles{3, length, length, 1, length};
    EXPECT_EQ(tiles.size(), std::int64_t{1} << 40);
    EXPECT_EQ(tiles.index(0, length - 1), 3 + (length - 1) * length);
    EXPECT_EQ(tiles.position(3 + 5 + (length - 1) * length), 5 * length + length - 1);
}

TEST(FourStepFft, CountsBeyond32Bits) {
    for (const std::int64_t size : {std::int64_t{1} << 16, (std::int64_t{1} << 20) + 3}) {
        for (const int ranks : {1, 2, 3, 7}) {
            std::int64_t input = 0;
            std::int64_t output = 0;
            std::int64_t sent = 0;
            std::int64_t received = 0;
            for (int rank = 0; rank < ranks; ++rank) {
                const FourStepFft shape{size, size, ranks, rank};
                input += shape.input_points();
                output += shape.output_points();
                sent += shape.parts_size();
                for (int from = 0; from < ranks; ++from) {
                    received += shape.part_size(from, rank);
                }
            }
            EXPECT_EQ(input, size * size);
            EXPECT_EQ(output, size * size);
            EXPECT_EQ(sent, received);
            EXPECT_GE(sent, 2 * size * size);
            EXPECT_LE(sent, 2 * size * (size + 8 * ranks))
                << "except for the last block of each rank";
        }
    }
    EXPECT_EQ(block_index(std::int64_t{1} << 20, 5, std::int64_t{1} << 20),
              (std::int64_t{1} << 40) + 5);
}

}  // namespace
}  // namespace quartet::fft
