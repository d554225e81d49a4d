#include "device/four_step_fft.hpp"

#include <gtest/gtest.h>

namespace quartet::device {
namespace {

TEST(FourStepFft, LaysOutCellsAsItsExampleSays) {
    const FourStepFft split{4, 24, 2, 0};
    EXPECT_EQ(split.cells_of(0), 2);
    EXPECT_EQ(split.cells_of(1), 2);
    EXPECT_EQ(split.part_size(0, 1), 2 * 2 * 16);
    EXPECT_EQ(split.parts_size(), 2 * 2 * 2 * 16);
    EXPECT_EQ(split.input_points(), 2 * 24);
    EXPECT_EQ(split.output_points(), 4 * 12);
    EXPECT_EQ(cell_index(1, 1, 2), 3);
}

TEST(FourStepFft, CountsBeyond32Bits) {
    for (const std::int64_t size : {std::int64_t{1} << 16, (std::int64_t{1} << 20) + 3}) {
        for (const int ranks : {1, 2, 3, 7}) {
            std::int64_t input = 0;
            std::int64_t output = 0;
            std::int64_t sent = 0;
            std::int64_t received = 0;
            for (int rank = 0; rank < ranks; ++rank) {
                const FourStepFft split{size, size, ranks, rank};
                input += split.input_points();
                output += split.output_points();
                sent += split.parts_size();
                for (int from = 0; from < ranks; ++from) {
                    received += split.part_size(from, rank);
                }
            }
            EXPECT_EQ(input, size * size);
            EXPECT_EQ(output, size * size);
            EXPECT_EQ(sent, received);
            EXPECT_GE(sent, 2 * size * size);
            EXPECT_LE(sent, 2 * size * (size + 8 * ranks)) << "but for the ends of ranks' cells";
        }
    }
    EXPECT_EQ(cell_index(std::int64_t{1} << 20, 5, std::int64_t{1} << 20),
              (std::int64_t{1} << 40) + 5);
}

TEST(BinsBelow, IsTheNumberOfThem) {
    for (const FourStepFft& split :
         {FourStepFft{5, 7, 3, 0}, FourStepFft{4, 2, 3, 0}, FourStepFft{1, 9, 2, 0}}) {
        for (int owner = 0; owner < split.ranks; ++owner) {
            const Range mine = split.bins_of(owner);
            std::int64_t count = 0;
            for (std::int64_t k = 0; k <= split.points(); ++k) {
                EXPECT_EQ(bins_below(split, owner, k), count) << k;
                count += k % split.length >= mine.begin && k % split.length < mine.end ? 1 : 0;
            }
        }
    }
}

TEST(NaturalParts, MakeUpEachRanksBlock) {
    for (const FourStepFft& split :
         {FourStepFft{5, 7, 3, 0}, FourStepFft{1, 9, 2, 0}, FourStepFft{9, 1, 4, 0},
          FourStepFft{(std::int64_t{1} << 18) + 1, (std::int64_t{1} << 17) + 5, 5, 0}}) {
        for (int rank = 0; rank < split.ranks; ++rank) {
            std::int64_t sent = 0;
            std::int64_t received = 0;
            for (int other = 0; other < split.ranks; ++other) {
                sent += natural_part_points(split, rank, other);
                received += natural_part_points(split, other, rank);
            }
            EXPECT_EQ(sent, split.bins_of(rank).size() * split.tiles);
            EXPECT_EQ(received, block_range(split.points(), split.ranks, rank).size());
        }
    }
}

}  // namespace
}  // namespace quartet::device
