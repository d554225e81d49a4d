#include "device/four_step_fft.hpp"

#include <gtest/gtest.h>

namespace quartet::device {
namespace {

TEST(FourStepFft, LaysOutSimdBlocksAsInItsExample) {
    const FourStepFft shape{4, 24, 2, 0};
    EXPECT_EQ(shape.blocks_of(0), 2);
    EXPECT_EQ(shape.blocks_of(1), 2);
    EXPECT_EQ(shape.part_size(0, 1), 2 * 2 * 16);
    EXPECT_EQ(shape.parts_size(), 2 * 2 * 2 * 16);
    EXPECT_EQ(shape.input_points(), 2 * 24);
    EXPECT_EQ(shape.output_points(), 4 * 12);
    const std::int64_t lane = (21 - shape.bins_of(1).begin) % FourStepFft::block_bins;
    EXPECT_EQ(block_index(1, 1, 2) * FourStepFft::block_size + lane, 49);
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

TEST(BinsBelow, CountsAnOwnersBins) {
    for (const FourStepFft& shape :
         {FourStepFft{5, 7, 3, 0}, FourStepFft{4, 2, 3, 0}, FourStepFft{1, 9, 2, 0}}) {
        for (int owner = 0; owner < shape.ranks; ++owner) {
            const Range mine = shape.bins_of(owner);
            std::int64_t count = 0;
            for (std::int64_t k = 0; k <= shape.points(); ++k) {
                EXPECT_EQ(bins_below(shape, owner, k), count) << k;
                count += k % shape.length >= mine.begin && k % shape.length < mine.end ? 1 : 0;
            }
        }
    }
}

TEST(NaturalParts, MakeUpEachRanksBlock) {
    for (const FourStepFft& shape :
         {FourStepFft{5, 7, 3, 0}, FourStepFft{1, 9, 2, 0}, FourStepFft{9, 1, 4, 0},
          FourStepFft{(std::int64_t{1} << 18) + 1, (std::int64_t{1} << 17) + 5, 5, 0}}) {
        for (int rank = 0; rank < shape.ranks; ++rank) {
            std::int64_t sent = 0;
            std::int64_t received = 0;
            for (int other = 0; other < shape.ranks; ++other) {
                sent += natural_part_points(shape, rank, other);
                received += natural_part_points(shape, other, rank);
            }
            EXPECT_EQ(sent, shape.bins_of(rank).size() * shape.tiles);
            EXPECT_EQ(received, block_range(shape.points(), shape.ranks, rank).size());
        }
    }
}

}  // namespace
}  // namespace quartet::device
