#include "matmul/native/scheduled_product.hpp"

#include <gmock/gmock.h>

#include "core/message_of.hpp"
#include "core/temporary_folder.hpp"
#include "device/host/host_device.hpp"
#include "matmul/reference.hpp"

namespace quartet::matmul {
namespace {

using testing::AllOf;
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

// A slot that is used again too early shows as a wrong element.
TEST(ScheduledProductOfAnyShape, IsTheProductInFloat64) {
    const Problem problem{35, 8, 5};
    const Block block{{0, 5}, {1, 5}};
    const TemporaryFolder folder;
    write_files(problem, folder.path());
    const auto files = std::make_shared<MatrixFiles>(folder.path(), problem, FileCache::warm);
    const auto reference =
        matmul::product(problem, whole_matrix(problem, "A"), whole_matrix(problem, "B"));
    Trace trace;
    const auto device = device::make_host_device({.threads = 1}, trace);
    const auto stream = device->make_stream("compute");
    for (std::int64_t rows = 1; rows <= block.rows.size(); ++rows) {
        for (std::int64_t columns = 1; columns <= block.columns.size(); ++columns) {
            for (const std::int64_t lookahead : {0, 1, 2, 5, 13, 40}) {
                for (const std::int64_t spare : {0, 5}) {
                    SCOPED_TRACE(testing::Message() << rows << " x " << columns << ", ahead "
                                                    << lookahead << ", spare " << spare);
                    BoundedPlan plan;
                    plan.blocking = {rows, columns,
                                     least_slots(block, rows, columns, lookahead) + spare,
                                     lookahead};
                    ScheduledProduct product(problem, block, plan, ProductFiles{files}, *device);
                    product.prepare();
                    product.run(*stream);
                    for_each_tile(block, [&](TileIndex tile) {
                        EXPECT_LT(
                            largest_difference(problem, reference, tile, product.result(tile)),
                            1e-6);
                    });
                }
            }
        }
    }
}

TEST(BoundedPlan, RefusesMemoryThatHoldsNoTileAndShowsTheArithmetic) {
    const Problem problem{65536, 8192};
    EXPECT_THAT(message_of<UsageError>([&] {
                    plan_device(problem, whole(problem), {mebibytes(700), mebibytes(32)});
                }),
                AllOf(HasSubstr("800 MiB of GPU memory"), HasSubstr("700 MiB are allowed"),
                      HasSubstr("a tile is 256 MiB"), HasSubstr("take 32 MiB"),
                      HasSubstr("--device-memory"), HasSubstr("--tile")));
    EXPECT_NO_THROW(plan_device(problem, whole(problem), {mebibytes(800), mebibytes(32)}));
}

}  // namespace
}  // namespace quartet::matmul
