#include "device/four_step_fft.hpp"

#include <gtest/gtest.h>

namespace quartet::device {
namespace {

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
}  // namespace quartet::device
