#include <gtest/gtest.h>

#include "core/temporary_folder.hpp"
#include "device/host/host_device.hpp"
#include "matmul/native/scheduled_product.hpp"
#include "support/counted_memory.hpp"

namespace quartet::matmul {
namespace {

// The tiles' names, too, are made without the heap.
TEST(Allocation, ScheduledProductAllocatesNothingInItsTimedStep) {
    const Problem problem{48, 16};
    const TemporaryFolder folder;
    for (std::int64_t number = 0; number < std::ssize(input_files(problem)); ++number) {
        const auto [matrix, index] = input_tile(problem, number);
        std::vector<float> tile(static_cast<std::size_t>(problem.elements(index)));
        fill_tile(problem, matrix, index, tile);
        write_npy<float>(folder / tile_file(matrix, index.row, index.column), {16, 16}, tile);
    }
    const Block block{{0, 3}, {0, 3}};
    Trace trace;
    const auto device = device::make_host_device({}, trace);
    const auto stream = device->make_stream("compute");
    BoundedPlan plan;
    plan.host.emplace().blocking = {2, 2, least_slots(block, 2, 2, 2), 2};
    ScheduledProduct product(
        problem, block, plan,
        ProductFiles{std::make_shared<MatrixFiles>(folder.path(), problem, FileCache::warm)},
        *device);
    product.run(*stream);  // libraries allocate at their first call
    product.prepare();
    const long before = device::allocations();

    product.run(*stream);

    EXPECT_EQ(device::allocations() - before, 0);
}

}  // namespace
}  // namespace quartet::matmul
