#include "matmul/native/in_core_product.hpp"

#include <gtest/gtest.h>

#include "device/cuda/cuda_device.hpp"
#include "matmul/reference.hpp"

namespace quartet::matmul {
namespace {

TEST(GrowingStripsTest, GrowACornerOfCByRowsOrByOneColumn) {
    const Problem problem{4, 1};
    const std::vector<Strip> strips = growing_strips(problem, whole(problem), 1);
    std::vector<std::string> drawn(4, "....");
    for (std::size_t number = 0; number < strips.size(); ++number) {
        for (std::int64_t row = strips[number].rows.begin; row < strips[number].rows.end; ++row) {
            for (std::int64_t column = strips[number].columns.begin;
                 column < strips[number].columns.end; ++column) {
                drawn[static_cast<std::size_t>(row)][static_cast<std::size_t>(column)] =
                    static_cast<char>('1' + number);
            }
        }
    }
    EXPECT_EQ(drawn, (std::vector<std::string>{"1235", "4445", "6666", "7777"}));
}

TEST(GrowingStripsTest, CoverABlockOnceAndNeedOneNewPanelEach) {
    const Problem problem{70, 16, 5};  // ragged
    for (const Block& block : {whole(problem), Block{{1, 3}, {0, 5}}, Block{{0, 5}, {4, 5}}}) {
        for (const std::int64_t height : {1, 5, 16, 100}) {
            const std::int64_t rows = elements_of(problem, block.rows).size();
            std::int64_t there_rows = 0;
            std::int64_t there_columns = 0;
            std::int64_t covered = 0;
            for (const Strip& strip : growing_strips(problem, block, height)) {
                covered += strip.rows.size() * strip.columns.size();
                if (strip.rows.begin > 0) {
                    EXPECT_EQ(strip.rows.begin, there_rows);
                    EXPECT_EQ(strip.columns.begin, 0);
                    EXPECT_EQ(strip.columns.end, there_columns);
                    EXPECT_LE(strip.rows.size(), height);
                } else {
                    EXPECT_EQ(strip.columns.begin, there_columns);
                    EXPECT_EQ(strip.columns.size(), 1);
                    EXPECT_EQ(strip.rows.end,
                              there_rows == 0 ? std::min(height, rows) : there_rows);
                }
                there_rows = strip.rows.end;
                there_columns = strip.columns.end;
            }
            EXPECT_EQ(covered, rows * block.columns.size());
        }
    }
    EXPECT_TRUE(growing_strips(problem, {}, 16).empty());
}

// The last copy out cannot be hidden: of 16 copies out of this size one is left when all tiles have
// come in.
TEST(GrowingStripsTest, EndWithAQuarterOfATileRow) {
    const Problem problem{16384, 4096};
    const Strip last = growing_strips(problem, whole(problem), strip_height(problem)).back();
    EXPECT_EQ(last.rows.size(), 1024);
    EXPECT_EQ(last.columns.size(), 4);
    EXPECT_EQ(strip_height({65536, 8192}), 2048);
    EXPECT_EQ(strip_height({4096, 1024}), 2048) << "lower ones leave multiprocessors idle";
}

/// On a GPU, or over the fake of one: whichever is linked.
class InCoreProductTest : public testing::TestWithParam<std::int64_t> {
  protected:
    void SetUp() override {
        const device::DeviceKind kind = device::cuda_device();
        if (const auto reason = kind.why_not()) {
            GTEST_SKIP() << *reason;
        }
        device = kind.make({}, trace);
        stream = device->make_stream("compute");
    }

    const comm::Communicator world = comm::Communicator::world();
    const comm::Topology topology{world};
    Trace trace;
    std::unique_ptr<device::Device> device;
    std::unique_ptr<device::Stream> stream;
};

INSTANTIATE_TEST_SUITE_P(Heights, InCoreProductTest, testing::Values(3, 16, 100));

TEST_P(InCoreProductTest, IsTheProductInEveryRunAndCopiesOnce) {
    const Problem problem{70, 16, 5};  // ragged
    const std::vector<Block> blocks = partition(problem, world.size());
    const Block block = blocks[static_cast<std::size_t>(world.rank())];
    const std::vector<double> reference =
        product(problem, whole_matrix(problem, "A"), whole_matrix(problem, "B"));
    InCoreProduct made(
        problem, lay_out_operands(problem, blocks, world.rank(), topology, OperandCopies::per_rank),
        GetParam(), topology.node(), *device, 1);
    for (int run = 0; run < 2; ++run) {
        made.prepare();
        made.run(*stream);
        for_each_tile(block, [&](TileIndex tile) {
            const std::span<float> found =
                std::span(const_cast<float*>(made.result(tile).data()), made.result(tile).size());
            EXPECT_LT(largest_difference(problem, reference, tile, found), 1e-6);
            std::ranges::fill(found, -1.0F);  // so that the second run is seen
        });
        EXPECT_EQ(made.copied().read, least_traffic(problem, block).read);
        EXPECT_EQ(made.copied().written, least_traffic(problem, block).written);
    }
}

// More ranks than tiles.
TEST_P(InCoreProductTest, IsNothingForARankWithoutTiles) {
    const Problem problem{20, 16, 5};
    const std::vector<Block> blocks(static_cast<std::size_t>(world.size()));
    InCoreProduct made(
        problem, lay_out_operands(problem, blocks, world.rank(), topology, OperandCopies::per_rank),
        GetParam(), topology.node(), *device, 1);
    made.run(*stream);
    EXPECT_EQ(made.copied().sum(), Bytes{});
}

}  // namespace
}  // namespace quartet::matmul
