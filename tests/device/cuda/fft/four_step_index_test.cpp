#include "device/cuda/fft/four_step_index.hpp"

#include <gtest/gtest.h>

#include <vector>

#include "device/four_step_fft.hpp"

namespace quartet::device {
namespace {

TEST(FourStepIndexTest, AgreesWithTheLayoutOfSimdBlocks) {
    constexpr std::int64_t tiles = 5;
    std::vector<int> seen(static_cast<std::size_t>(3 * tiles * FourStepFft::block_size));
    for (std::int64_t bin = 0; bin < 24; ++bin) {
        for (std::int64_t tile = 0; tile < tiles; ++tile) {
            const std::int64_t offset = offset_in_part(bin, tile, tiles);
            EXPECT_EQ(offset, block_index(bin / FourStepFft::block_bins, tile, tiles) *
                                      FourStepFft::block_size +
                                  bin % FourStepFft::block_bins);
            ++seen[static_cast<std::size_t>(offset)];
            ++seen[static_cast<std::size_t>(offset + fft_block_bins)];
        }
    }
    EXPECT_EQ(seen, std::vector<int>(seen.size(), 1));
}

TEST(FourStepIndexTest, SplitsExponentsIntoCoarseAndFine) {
    for (const std::int64_t order : {1, 2, 3, 4, 5, 143, 4096, 4097, 1 << 20}) {
        const TwiddleSplit split = split_twiddles(order);
        for (std::int64_t exponent = 0; exponent < order; exponent += 1 + order / 1000) {
            EXPECT_EQ(split.coarse(exponent) * split.fine_entries() + split.fine(exponent),
                      exponent);
            EXPECT_LT(split.coarse(exponent), split.coarse_entries(order));
        }
        EXPECT_LE(split.fine_entries() * split.fine_entries(), 4 * order);
    }
}

}  // namespace
}  // namespace quartet::device
