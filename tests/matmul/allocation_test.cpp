#include <gtest/gtest.h>

#include "core/temporary_folder.hpp"
#include "device/host/host_device.hpp"
#include "matmul/native/scheduled_product.hpp"
#include "matmul/reference.hpp"
#include "support/counted_memory.hpp"

namespace quartet::matmul {
namespace {

// The tiles' names, too, are made without the heap.
TEST(Allocation, ScheduledProductAllocatesNothingInItsTimedStep) {
    const Problem problem{48, 16};
    const TemporaryFolder folder;
    write_files(problem, folder.path());
    const Block block{{0, 3}, {0, 3}};
    Trace trace;
    const auto device = device::make_host_device({}, trace);
    const auto stream = device->make_stream("compute");
    BoundedPlan plan;
    plan.blocking = {2, 2, least_slots(block, 2, 2, 2), 2};
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
