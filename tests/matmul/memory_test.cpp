#include "matmul/plan.hpp"

#include <gtest/gtest.h>

#include "bench/program/plan.hpp"
#include "bench/session/session.hpp"
#include "comm/mpi/shared_folder.hpp"
#include "core/temporary_folder.hpp"
#include "device/host/host_device.hpp"
#include "matmul/native.hpp"
#include "matmul/reference.hpp"
#include "support/counted_memory.hpp"

namespace quartet::matmul {
namespace {

using bench::Formulation;

/// Buffers stay below one huge page here, so that all of them are counted.
class PlannedMemoryTest : public testing::Test {
  protected:
    PlannedMemoryTest() {
        common.device = "host";
        common.threads = 1;
        common.verify = bench::Switch::off;
        common.transports = {"mpi"};
        options.sizes = {150};
        options.tile = 40;  // ragged
    }

    /// Plans one case, makes it and its limit, and compares what was allocated.
    void expect_as_planned() {
        bench::Session session({.name = "matmul"}, common, comm::TransportRegistry::standard());
        plan_cases(session, options);
        bench::find_needs(session);
        const bench::PlannedCase& planned = session.plan().front();
        const std::int64_t before = device::buffer_bytes();
        device::Arena arena(session.device(), device::Arena::Mode::allocate);
        const auto made = planned.make(arena);
        made->set_up();
        if (common.limits == bench::Switch::on) {
            made->prepare_limit(arena);
        }
        const std::int64_t allocated = device::buffer_bytes() - before;
        EXPECT_EQ(planned.needs.host.value, allocated + of_probes()) << planned.name.text();
        world.barrier();
    }
    /// What probes take that is freed before the first run.
    [[nodiscard]] std::int64_t of_probes() const {
        if (common.limits == bench::Switch::off || !computes) {
            return 0;
        }
        const std::int64_t edge = options.data.in_files() ? *options.tile : options.sizes.front();
        return bytes_of<float>(edge * edge).value;
    }
    void put_in_files() {
        options.data = {folder.path() / "tiles", bench::Switch::on, bench::Switch::off,
                        FileCache::warm};
    }

    const comm::Communicator world = comm::Communicator::world();
    const SharedFolder folder{world};
    bench::CommonOptions common;
    Options options;
    bool computes = true;  ///< this rank
};

TEST_F(PlannedMemoryTest, IsWhatNativeAllocates) {
    expect_as_planned();
    common.limits = bench::Switch::off;
    expect_as_planned();
}

TEST_F(PlannedMemoryTest, IsWhatNativeAllocatesForTilesInFiles) {
    put_in_files();
    common.memory = mebibytes(6);
    expect_as_planned();
    common.memory = kibibytes(200);
    common.limits = bench::Switch::off;
    expect_as_planned();
}

TEST_F(PlannedMemoryTest, IsWhatEachRoleOfDataflowAllocates) {
    if (world.size() < 2) {
        GTEST_SKIP() << "the data flow needs two ranks";
    }
    common.formulations = {Formulation::dataflow};
    computes = world.rank() > 0;  // one reducer
    for (const int queue : {1, 3, 16}) {
        common.queue = queue;
        expect_as_planned();
    }
    put_in_files();
    expect_as_planned();
}

// The tiles' names, too, are made without the heap.
TEST(Allocation, PanelProductAllocatesNothingInItsTimedStep) {
    const Problem problem{48, 16};
    const TemporaryFolder folder;
    write_files(problem, folder.path());
    Trace trace;
    const auto device = device::make_host_device({}, trace);
    const auto stream = device->make_stream("compute");
    device::Arena arena(*device, device::Arena::Mode::allocate);
    PanelProduct product(
        arena, problem, whole(problem), {.blocking = {2, 2}, .places = {.in_files = true}},
        ProductFiles{std::make_shared<MatrixFiles>(folder.path(), problem, FileCache::warm)},
        nullptr);
    product.run(*stream);  // libraries allocate at their first call
    product.prepare();
    const long before = device::allocations();

    product.run(*stream);

    EXPECT_EQ(device::allocations() - before, 0);
}

}  // namespace
}  // namespace quartet::matmul
