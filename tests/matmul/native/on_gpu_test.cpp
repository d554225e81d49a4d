#include <gmock/gmock.h>

#include "core/temporary_folder.hpp"
#include "device/cuda/cuda_device.hpp"
#include "matmul/native/in_core_product.hpp"
#include "matmul/native/scheduled_product.hpp"
#include "matmul/reference.hpp"

namespace quartet::matmul {
namespace {

using testing::HasSubstr;

/// On a GPU, or over the fake of one: whichever is linked.
class OnGpu : public testing::Test {
  protected:
    void SetUp() override {
        const device::DeviceKind kind = device::cuda_device();
        if (const auto reason = kind.why_not()) {
            GTEST_SKIP() << *reason;
        }
        device = kind.make({}, trace);
        stream = device->make_stream("compute");
    }
    template <typename Made>
    void expect_product(Made& product) {
        for_each_tile(block, [&](TileIndex tile) {
            EXPECT_LT(largest_difference(problem, reference, tile, product.result(tile)), 1e-6);
        });
    }
    [[nodiscard]] OperandLayout layout() const {
        return lay_out_operands(problem, blocks, world.rank(), topology, OperandCopies::per_rank);
    }

    const comm::Communicator world = comm::Communicator::world();
    const comm::Topology topology{world};
    const Problem problem{70, 16, 5};  // ragged
    const std::vector<Block> blocks = partition(problem, world.size());
    const Block block = blocks[static_cast<std::size_t>(world.rank())];
    const std::vector<double> reference =
        matmul::product(problem, whole_matrix(problem, "A"), whole_matrix(problem, "B"));
    Trace trace;
    std::unique_ptr<device::Device> device;
    std::unique_ptr<device::Stream> stream;
};

class InCore : public OnGpu, public testing::WithParamInterface<std::int64_t> {};
INSTANTIATE_TEST_SUITE_P(Heights, InCore, testing::Values(3, 16, 100));

TEST_P(InCore, IsTheProductInEveryRunAndCopiesOnce) {
    InCoreProduct made(problem, layout(), GetParam(), topology.node(), *device, 1);
    for (int run = 0; run < 2; ++run) {
        made.prepare();
        made.run(*stream);
        expect_product(made);
        for_each_tile(block, [&](TileIndex tile) {  // so that the second run is seen
            const auto found = made.result(tile);
            std::fill_n(const_cast<float*>(found.data()), found.size(), -1.0F);
        });
        EXPECT_EQ(made.copied().read, least_traffic(problem, block).read);
        EXPECT_EQ(made.copied().written, least_traffic(problem, block).written);
    }
}

class ScheduledOnGpu : public OnGpu, public testing::WithParamInterface<Blocking> {
  protected:
    /// With the fewest slots that serve.
    [[nodiscard]] BoundedPlan plan(bool in_files) const {
        Blocking blocking = GetParam();
        blocking.slots = least_slots(block, blocking.rows, blocking.columns, blocking.lookahead);
        return {.blocking = blocking,
                .traffic = planned_traffic(problem, block, blocking),
                .best = {},
                .on_gpu = true,
                .in_files = in_files};
    }
    void run_twice(ScheduledProduct& product) {
        const Traffic planned = plan(false).traffic;
        for (int run = 0; run < 2; ++run) {
            product.prepare();
            product.run(*stream);
            expect_product(product);
            EXPECT_EQ(product.copied().read, planned.read);
            EXPECT_EQ(product.copied().written, planned.written);
        }
    }
    TemporaryFolder folder;
};
INSTANTIATE_TEST_SUITE_P(Ways, ScheduledOnGpu,
                         testing::Values(Blocking{1, 1, 0, 0}, Blocking{5, 5, 0, 8},
                                         Blocking{2, 1, 0, 3}, Blocking{2, 2, 0, 30}));

TEST_P(ScheduledOnGpu, IsTheProductOfTilesInMemoryInEveryRun) {
    ScheduledProduct product(problem, plan(false), layout(), topology.node(), *device, 1);
    run_twice(product);
}

TEST_P(ScheduledOnGpu, IsTheProductOfTilesInFilesAndNamesOneThatCannotBeRead) {
    write_files(problem, folder.path());
    ScheduledProduct product(
        problem, block, plan(true),
        ProductFiles{std::make_shared<MatrixFiles>(folder.path(), problem, FileCache::warm)},
        *device);
    run_twice(product);
    EXPECT_EQ(product.traffic().read, product.copied().read);
    EXPECT_EQ(product.traffic().written, product.copied().written);
    const std::string name = tile_file("B", 3, block.columns.begin);
    std::filesystem::resize_file(folder / name, 200);
    product.prepare();
    try {
        product.run(*stream);
        FAIL() << "nothing was thrown";
    } catch (const NpyError& error) {
        EXPECT_THAT(error.what(), HasSubstr(name));
    }
}

}  // namespace
}  // namespace quartet::matmul
