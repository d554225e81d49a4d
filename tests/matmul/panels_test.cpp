#include "matmul/native.hpp"

#include <gmock/gmock.h>

#include "core/message_of.hpp"
#include "core/temporary_folder.hpp"
#include "device/host/host_device.hpp"
#include "matmul/reference.hpp"

namespace quartet::matmul {
namespace {

using testing::AllOf;
using testing::HasSubstr;

/// From files, over the streams of the device and with as much held as the blocking says: a slot
/// that is used again too early shows as a wrong element.
class PanelProductTest : public testing::TestWithParam<device::HostStreams> {
  protected:
    PanelProductTest() { write_files(problem, folder.path()); }

    std::unique_ptr<PanelProduct> make(const Blocking& blocking) {
        const PanelPlan plan{.blocking = blocking,
                             .traffic = planned_traffic(problem, block, blocking),
                             .places = {.in_files = true}};
        device::Arena arena(*device, device::Arena::Mode::allocate);
        return std::make_unique<PanelProduct>(arena, problem, block, plan, ProductFiles{files()},
                                              nullptr);
    }
    [[nodiscard]] std::shared_ptr<const MatrixFiles> files() const {
        return std::make_shared<MatrixFiles>(folder.path(), problem, FileCache::warm);
    }
    void run(PanelProduct& product) {
        product.prepare();
        product.run(*stream);
    }
    void expect_product(PanelProduct& product) {
        for_each_tile(block, [&](TileIndex tile) {
            EXPECT_LT(largest_difference(problem, reference, tile, product.result(tile)), 1e-6);
        });
    }

    const Problem problem{35, 8, 5};  // five tiles, the last of 3
    const Block block{{0, 5}, {1, 5}};
    const std::vector<double> reference =
        matmul::product(problem, whole_matrix(problem, "A"), whole_matrix(problem, "B"));
    TemporaryFolder folder;
    Trace trace;
    const std::unique_ptr<device::Device> device =
        device::make_host_device({.threads = 1, .streams = GetParam()}, trace);
    const std::unique_ptr<device::Stream> stream = device->make_stream("compute");
};

INSTANTIATE_TEST_SUITE_P(Streams, PanelProductTest,
                         testing::Values(device::HostStreams::inline_call,
                                         device::HostStreams::threaded));

TEST_P(PanelProductTest, IsTheProductInFloat64ForAnyBlocking) {
    for (std::int64_t rows = 1; rows <= block.rows.size(); ++rows) {
        for (std::int64_t columns = 1; columns <= block.columns.size(); ++columns) {
            SCOPED_TRACE(testing::Message() << rows << " x " << columns);
            const auto product = make({rows, columns});
            for (int repeat = 0; repeat < 2; ++repeat) {
                run(*product);
                expect_product(*product);
            }
            const Traffic planned = planned_traffic(problem, block, {rows, columns});
            EXPECT_EQ(product->traffic().read, planned.read);
            EXPECT_EQ(product->traffic().written, planned.written);
        }
    }
}

TEST_P(PanelProductTest, WritesOverItsOwnResultsAlone) {
    const auto product = make({5, 4});
    const auto result = folder / "C_0_1.npy";
    write_text(result, "of another job");
    std::filesystem::create_hard_link(result, folder / "open elsewhere");
    for (int repeat = 0; repeat < 2; ++repeat) {
        product->prepare();
        EXPECT_FALSE(std::filesystem::exists(result));
        EXPECT_EQ(std::filesystem::exists(folder / "C_0_1.npy.spare"), repeat == 1);
        product->run(*stream);
    }
    expect_product(*product);
    EXPECT_EQ(read_text(folder / "open elsewhere"), "of another job");
}

TEST_P(PanelProductTest, NamesAFileThatCannotBeRead) {
    const auto product = make({2, 2});
    std::filesystem::resize_file(folder / "B_3_2.npy", 200);
    EXPECT_THAT(message_of<NpyError>([&] { run(*product); }), HasSubstr("B_3_2.npy"));
}

TEST(PanelPlan, HoldsMoreWhereMemoryIsMoreAndNeverMovesLessThanTheBestBlocking) {
    const Problem problem{4096, 256};
    Bytes before = plan_host(problem, whole(problem), {mebibytes(2), {}}).traffic.sum();
    for (const std::int64_t memory : {4, 8, 16, 64, 256}) {
        const PanelPlan plan = plan_host(problem, whole(problem), {mebibytes(memory), {}});
        EXPECT_LE(plan.traffic.sum(), before);
        EXPECT_LE(plan.best, plan.traffic.sum());
        EXPECT_LE(plan.blocking.slots() + plan.blocking.held(), memory * 4);  // tiles of 256 KiB
        before = plan.traffic.sum();
    }
    EXPECT_EQ(before, least_traffic(problem, whole(problem)).sum());
}

TEST(PanelPlan, RefusesMemoryThatHoldsNoTileAndShowsTheArithmetic) {
    const Problem problem{65536, 8192};
    EXPECT_THAT(message_of<UsageError>([&] {
                    plan_device(problem, whole(problem), {mebibytes(700), mebibytes(32)});
                }),
                AllOf(HasSubstr("1.28 GiB of GPU memory"), HasSubstr("700 MiB are allowed"),
                      HasSubstr("a tile is 256 MiB"), HasSubstr("take 32 MiB"),
                      HasSubstr("--device-memory"), HasSubstr("--tile")));
    EXPECT_NO_THROW(plan_device(problem, whole(problem), {mebibytes(1312), mebibytes(32)}));
}

}  // namespace
}  // namespace quartet::matmul
