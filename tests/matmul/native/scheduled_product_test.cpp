#include "matmul/native/scheduled_product.hpp"

#include <gmock/gmock.h>

#include "core/temporary_folder.hpp"
#include "device/host/host_device.hpp"
#include "matmul/reference.hpp"

namespace quartet::matmul {
namespace {

using testing::HasSubstr;

/// The streams of the device, and how much is held: where the order could go wrong.
struct Way {
    device::HostStreams streams;
    Blocking blocking;  ///< without the slots, which are the fewest that serve
};

class ScheduledProductTest : public testing::TestWithParam<Way> {
  protected:
    ScheduledProductTest() {
        write_files(problem, folder.path());
        Blocking blocking = GetParam().blocking;
        blocking.slots = least_slots(block, blocking.rows, blocking.columns, blocking.lookahead);
        plan.blocking = blocking;
        plan.traffic = planned_traffic(problem, block, blocking);
    }

    const Problem problem{70, 16, 5};
    const Block block{{0, 5}, {1, 5}};
    TemporaryFolder folder;
    BoundedPlan plan;
    Trace trace;
    const std::unique_ptr<device::Device> device =
        device::make_host_device({.threads = 1, .streams = GetParam().streams}, trace);
    const std::unique_ptr<device::Stream> stream = device->make_stream("compute");
};

INSTANTIATE_TEST_SUITE_P(Ways, ScheduledProductTest,
                         testing::Values(Way{device::HostStreams::inline_call, {5, 4, 0, 0}},
                                         Way{device::HostStreams::inline_call, {2, 1, 0, 3}},
                                         Way{device::HostStreams::threaded, {5, 4, 0, 8}},
                                         Way{device::HostStreams::threaded, {1, 1, 0, 0}},
                                         Way{device::HostStreams::threaded, {2, 2, 0, 30}}));

TEST_P(ScheduledProductTest, IsTheProductInFloat64InEveryRun) {
    ScheduledProduct product(
        problem, block, plan,
        ProductFiles{std::make_shared<MatrixFiles>(folder.path(), problem, FileCache::warm)},
        *device);
    const auto reference =
        matmul::product(problem, whole_matrix(problem, "A"), whole_matrix(problem, "B"));
    const auto result = folder / "C_0_1.npy";
    write_text(result, "of another job");
    std::filesystem::create_hard_link(result, folder / "open elsewhere");
    for (int run = 0; run < 2; ++run) {
        product.prepare();
        EXPECT_FALSE(std::filesystem::exists(result));
        EXPECT_EQ(std::filesystem::exists(folder / "C_0_1.npy.spare"), run == 1)
            << "it overwrites its own last result alone";
        product.run(*stream);
        for_each_tile(block, [&](TileIndex tile) {
            EXPECT_LT(largest_difference(problem, reference, tile, product.result(tile)), 1e-6);
        });
        EXPECT_EQ(product.traffic().read, plan.traffic.read);
        EXPECT_EQ(product.traffic().written, plan.traffic.written);
    }
    EXPECT_EQ(read_text(folder / "open elsewhere"), "of another job");

    std::filesystem::resize_file(folder / "B_3_2.npy", 200);
    product.prepare();
    try {
        product.run(*stream);
        FAIL() << "nothing was thrown";
    } catch (const NpyError& error) {
        EXPECT_THAT(error.what(), HasSubstr("B_3_2.npy"));
    }
}

}  // namespace
}  // namespace quartet::matmul
