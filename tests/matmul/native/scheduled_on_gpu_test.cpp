#include "matmul/native/scheduled_product.hpp"

#include <gmock/gmock.h>

#include "core/temporary_folder.hpp"
#include "device/cuda/cuda_device.hpp"
#include "matmul/reference.hpp"

namespace quartet::matmul {
namespace {

using testing::HasSubstr;

/// How much lies on the GPU at a time (without the slots, which are the fewest that serve), and how
/// many tiles more on the host.
struct Way {
    Blocking blocking;
    std::int64_t more_on_host = 0;
};

/// On a GPU, or over the fake of one: whichever is linked.
class ScheduledOnGpuTest : public testing::TestWithParam<Way> {
  protected:
    void SetUp() override {
        const device::DeviceKind kind = device::cuda_device();
        if (const auto reason = kind.why_not()) {
            GTEST_SKIP() << *reason;
        }
        device = kind.make({}, trace);
        stream = device->make_stream("compute");
    }

    [[nodiscard]] Blocking blocking(std::int64_t more = 0) const {
        Blocking blocking = GetParam().blocking;
        blocking.slots =
            least_slots(block, blocking.rows, blocking.columns, blocking.lookahead) + more;
        return blocking;
    }
    void expect_product(ScheduledProduct& product) {
        for (std::int64_t row = block.rows.begin; row < block.rows.end; ++row) {
            for (std::int64_t column = block.columns.begin; column < block.columns.end; ++column) {
                EXPECT_LT(largest_difference(problem, reference, {row, column},
                                             product.result({row, column})),
                          1e-6);
            }
        }
    }
    void write_files() {
        for (std::int64_t number = 0; number < std::ssize(input_files(problem)); ++number) {
            const auto [matrix, index] = input_tile(problem, number);
            const auto tile = tile_of(problem, matrix == "A" ? a : b, index);
            write_npy<float>(folder / tile_file(matrix, index.row, index.column),
                             {problem.extent(index.row), problem.extent(index.column)}, tile);
        }
    }
    [[nodiscard]] std::unique_ptr<ScheduledProduct> from_files() {
        write_files();
        BoundedPlan plan;
        plan.host.emplace().blocking = blocking(GetParam().more_on_host);
        plan.device.emplace().blocking = blocking();
        return std::make_unique<ScheduledProduct>(
            problem, block, plan,
            ProductFiles{std::make_shared<MatrixFiles>(folder.path(), problem, FileCache::warm)},
            *device);
    }
    [[nodiscard]] std::unique_ptr<ScheduledProduct> from_memory() {
        BoundedPlan plan;
        plan.device.emplace().blocking = blocking();
        return std::make_unique<ScheduledProduct>(
            problem, plan,
            lay_out_operands(problem, blocks, world.rank(), topology, OperandCopies::per_rank),
            topology.node(), *device, 1);
    }

    const comm::Communicator world = comm::Communicator::world();
    const comm::Topology topology{world};
    const Problem problem{70, 16, 5};  // ragged
    const std::vector<Block> blocks = partition(problem, world.size());
    const Block block = blocks[static_cast<std::size_t>(world.rank())];
    const Matrix a = whole_matrix(problem, "A");
    const Matrix b = whole_matrix(problem, "B");
    const std::vector<double> reference = matmul::product(problem, a, b);
    TemporaryFolder folder;
    Trace trace;
    std::unique_ptr<device::Device> device;
    std::unique_ptr<device::Stream> stream;
};

INSTANTIATE_TEST_SUITE_P(Ways, ScheduledOnGpuTest,
                         testing::Values(Way{{1, 1, 0, 0}, 0}, Way{{5, 5, 0, 8}, 0},
                                         Way{{2, 1, 0, 3}, 4}, Way{{2, 2, 0, 30}, 100}));

TEST_P(ScheduledOnGpuTest, IsTheProductOfTilesInMemoryInEveryRun) {
    const auto made = from_memory();
    ScheduledProduct& product = *made;
    const Traffic planned = planned_traffic(problem, block, blocking());
    for (int run = 0; run < 2; ++run) {
        product.prepare();
        product.run(*stream);
        expect_product(product);
        EXPECT_EQ(product.copied().read, planned.read);
        EXPECT_EQ(product.copied().written, planned.written);
    }
}

TEST_P(ScheduledOnGpuTest, IsTheProductOfTilesInFilesInEveryRun) {
    const auto made = from_files();
    ScheduledProduct& product = *made;
    const Traffic on_host = planned_traffic(problem, block, blocking(GetParam().more_on_host));
    for (int run = 0; run < 2; ++run) {
        product.prepare();
        product.run(*stream);
        expect_product(product);
        EXPECT_EQ(product.traffic().read, on_host.read);
        EXPECT_EQ(product.traffic().written, on_host.written);
        EXPECT_LE(on_host.read, product.copied().read);
    }
}

TEST_P(ScheduledOnGpuTest, NamesATileThatCannotBeRead) {
    const auto made = from_files();
    ScheduledProduct& product = *made;
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
