#include "fft/dataflow/merger.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>

#include "device/fft_factory.hpp"
#include "device/host/host_device.hpp"
#include "support/reference_transform.hpp"

namespace quartet::fft {
namespace {

class MergerTest : public testing::Test {
  protected:
    /// Gives a merger the tiles' transforms in this order.
    void merge(Merger& merger, const Problem& problem, const std::vector<std::int64_t>& tiles) {
        const device::FourStepFft alone{1, problem.length(), 1, 0};
        const auto column_ffts = device->ffts().plan_column_ffts(alone);
        auto tile = device::allocate<Point>(*device, problem.length());
        auto blocks = device::allocate<double>(*device, alone.parts_size());
        for (const std::int64_t t : tiles) {
            fill_points(tile.span(), seed, t, problem.tiles);
            column_ffts->run(std::as_const(tile).view(), blocks.view(), *stream);
            merger.add(t, std::as_const(blocks).view(), *stream);
        }
        merger.finish(*stream);
    }

    static constexpr std::uint64_t seed = 5;
    Trace trace;
    const std::unique_ptr<device::Device> device = device::make_host_device({.threads = 2}, trace);
    const std::unique_ptr<device::Stream> stream = device->make_stream("merger");
};

TEST_F(MergerTest, TakesTilesInAnyOrderAndTransformsAgain) {
    std::mt19937 random(3);
    for (const auto& [tiles, length] : {std::pair{256, 64}, {60, 24}, {64, 63}, {7, 64}, {1, 8}}) {
        const Problem problem{std::int64_t{tiles} * length, tiles, ResultOrder::natural};
        const auto merger = make_merger(*device, problem);
        std::vector<std::int64_t> order = merge_order(*device, problem, {0, tiles});
        std::vector<Point> x(static_cast<std::size_t>(problem.points));
        fill_points(x, seed, 0, 1);
        const std::vector<Wide> expected = reference_transform(x);

        for (int time = 0; time < 3; ++time) {
            merge(*merger, problem, order);
            const auto found = merger->result();
            EXPECT_LE(relative_error({found.data(), found.data() + found.size()}, expected),
                      rounding_bound(x.size()))
                << tiles << " x " << length << ", time " << time;
            std::ranges::shuffle(order, random);
        }
    }
}

TEST_F(MergerTest, OrdersAWorkersTilesSoThatGroupsBecomeComplete) {
    const Problem problem{256 * 64, 256, ResultOrder::natural};

    const std::vector<std::int64_t> order = merge_order(*device, problem, {100, 150});

    const std::int64_t groups =
        device->ffts().plan_partial_row_ffts(problem.shape(1, 0))->summed().tiles;
    ASSERT_GT(groups, 1);
    EXPECT_TRUE(std::ranges::is_sorted(order, {}, [=](std::int64_t t) { return t % groups; }));
    std::vector<std::int64_t> sorted = order;
    std::ranges::sort(sorted);
    ASSERT_EQ(sorted.size(), 50U);
    EXPECT_EQ(sorted.front(), 100);
    EXPECT_EQ(std::ranges::adjacent_find(sorted), sorted.end());
    EXPECT_EQ(sorted.back(), 149);
}

}  // namespace
}  // namespace quartet::fft
