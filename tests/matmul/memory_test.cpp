#include "matmul/plan.hpp"

#include <gtest/gtest.h>

#include "bench/session/session.hpp"
#include "core/temporary_folder.hpp"
#include "device/host/host_device.hpp"
#include "matmul/native/in_core_product.hpp"
#include "matmul/native/scheduled_product.hpp"
#include "matmul/tiles/tile_transfers.hpp"
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
        if (world.rank() == 0) {
            temporary.emplace();
        }
        folder =
            world.broadcast(world.rank() == 0 ? (temporary->path() / "tiles").string() : "", 0);
    }
    void TearDown() override { world.barrier(); }

    /// Plans one case, makes it and its limit, and compares what was allocated.
    void expect_as_planned() {
        bench::Session session({.name = "matmul"}, common, comm::TransportRegistry::standard());
        plan_cases(session, options);
        const bench::PlannedCase& planned = session.plan().front();
        static_cast<void>(session.transport("mpi"));
        const std::int64_t before = device::buffer_bytes();
        device::restart_buffer_peak();
        const auto made = planned.make();
        if (common.limits == bench::Switch::on) {
            made->prepare_limit();
        }
        const std::int64_t allocated = device::buffer_bytes_peak() - before;
        EXPECT_EQ(planned.memory.value, allocated + elsewhere()) << planned.name.text();
        world.barrier();
    }
    /// What the storage probe takes: not a buffer of the device.
    [[nodiscard]] std::int64_t elsewhere() const {
        const bool probes = common.limits == bench::Switch::on && options.data.in_files();
        return probes && reads_files ? (mebibytes(4) + kibibytes(4)).value : 0;
    }
    static std::int64_t sum_of(const bench::Arena& arena) {
        return (arena.host() + arena.device()).value;
    }
    void put_in_files() {
        options.data = {folder, bench::Switch::on, bench::Switch::off, FileCache::warm};
    }

    const comm::Communicator world = comm::Communicator::world();
    std::optional<TemporaryFolder> temporary;
    std::string folder;
    bench::CommonOptions common;
    Options options;
    bool reads_files = true;
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
    for (const int queue : {1, 3, 16}) {
        common.queue = queue;
        expect_as_planned();
    }
    put_in_files();
    reads_files = world.rank() > 0;  // one reducer
    expect_as_planned();
}

// Over the host device, whose memory stands for the GPU's and for the page-locked one.
TEST_F(PlannedMemoryTest, IsWhatTheProductsThroughAGpuAllocate) {
    const Problem problem{150, 40, 1};
    const auto blocks = partition(problem, world.size());
    const Block block = blocks[static_cast<std::size_t>(world.rank())];
    Trace trace;
    const auto device = device::make_host_device({}, trace);
    const comm::Topology topology(world);
    const BoundedPlan plan = plan_device(problem, block, {kibibytes(80), {}});

    const OperandLayout layout =
        lay_out_operands(problem, blocks, world.rank(), topology, OperandCopies::per_rank);
    bench::Arena in_memory;
    layout.count(in_memory);
    MemorySink::memory(in_memory, problem, block);
    const ScheduledProduct::Buffers beside(in_memory, problem, plan);
    std::int64_t before = device::buffer_bytes();
    const ScheduledProduct from_memory(problem, plan, layout, topology.node(), *device, 1);
    EXPECT_EQ(device::buffer_bytes() - before, sum_of(in_memory));

    bench::Arena in_core;
    layout.count(in_core);
    MemorySink::memory(in_core, problem, block);
    const InCoreProduct::Buffers matrices(in_core, problem, block);
    before = device::buffer_bytes();
    const InCoreProduct whole(problem, layout, 16, topology.node(), *device, 1);
    EXPECT_EQ(device::buffer_bytes() - before, sum_of(in_core));

    const TemporaryFolder own;
    const BoundedPlan staged =
        plan_device(problem, block, {kibibytes(80), {}}, MemoryBudget{kibibytes(500), {}});
    bench::Arena in_files;
    const ScheduledProduct::Buffers counted(in_files, problem, staged);
    EXPECT_LE(in_files.in(bench::Room::host), kibibytes(500));
    EXPECT_LE(in_files.in(bench::Room::device), kibibytes(80));
    before = device::buffer_bytes();
    const ScheduledProduct from_files(
        problem, block, staged,
        ProductFiles{std::make_shared<MatrixFiles>(own.path(), problem, FileCache::warm)}, *device);
    EXPECT_EQ(device::buffer_bytes() - before, sum_of(in_files));
}

}  // namespace
}  // namespace quartet::matmul
