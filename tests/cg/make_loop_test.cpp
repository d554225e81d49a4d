#include "cg/make_loop.hpp"

#include <gtest/gtest.h>

#include "cg/dataflow/dataflow_limit.hpp"
#include "comm/transport/registry/transport_registry.hpp"
#include "device/host/host_device.hpp"
#include "support/counted_memory.hpp"

namespace quartet::cg {
namespace {

using bench::Formulation;

/// Buffers stay below one huge page here, so that all but windows are counted.
class LoopMemoryTest : public testing::TestWithParam<const char*> {
  protected:
    void expect_exact_plan(const Problem& problem, Formulation formulation) {
        const auto transport = registry.make(GetParam(), {world, topology, *device, trace, {}});
        const comm::OperationMemory operations(transport->traits(), {});
        bench::Arena arena;
        count_loop(arena, context, operations, problem, formulation);
        Bytes counted = arena.device() + arena.host() - arena.in(bench::Room::host_window);
        if (transport->traits().windows) {
            counted = counted - arena.in(bench::Room::device_window);
        }
        bench::Arena limit;  // made later
        if (formulation == Formulation::dataflow) {
            DataflowLimit::Buffers(limit, problem);
        }
        if (formulation != Formulation::dataflow || context.rank() != 0) {
            Limit::Buffers(limit, problem);
        }
        counted = counted - limit.host() - limit.device();
        const std::int64_t before = device::buffer_bytes();

        const auto loop = make_loop(context, *transport, problem, formulation);

        EXPECT_EQ(device::buffer_bytes() - before, counted.value)
            << name(formulation) << ", " << problem.size;
        world.barrier();
    }

    const comm::Communicator world = comm::Communicator::world();
    const comm::Topology topology{world};
    const comm::TransportRegistry registry = comm::TransportRegistry::standard();
    Trace trace;
    std::unique_ptr<device::Device> device = device::make_host_device({.threads = 2}, trace);
    std::unique_ptr<device::Stream> stream = device->make_stream("solve", {});
    RankContext context{world, *device, *stream, trace};
};

INSTANTIATE_TEST_SUITE_P(Transports, LoopMemoryTest, testing::Values("mpi", "shm"),
                         [](const auto& instance) { return std::string(instance.param); });

TEST_P(LoopMemoryTest, NativeAllocatesExactlyWhatIsPlanned) {
    for (const std::int64_t size : {1, 37, 400}) {
        for (const Storage storage : {Storage::full, Storage::symmetric}) {
            for (const Algorithm algorithm : {Algorithm::classic, Algorithm::single_reduction}) {
                expect_exact_plan({"laplace", size, 1, storage, algorithm}, Formulation::native);
            }
        }
    }
}

TEST_P(LoopMemoryTest, LibraryAllocatesExactlyWhatIsPlanned) {
    if (GetParam() != comm::TransportRegistry::plain_mpi()) {
        GTEST_SKIP() << "it is plain MPI";
    }
    for (const std::int64_t size : {1, 37, 400}) {
        expect_exact_plan({"laplace", size, 1}, Formulation::library);
    }
}

TEST_P(LoopMemoryTest, DataflowAllocatesExactlyWhatIsPlanned) {
    if (world.size() == 1) {
        GTEST_SKIP() << "one rank has no worker beside the reducer";
    }
    for (const std::int64_t size : {37, 400}) {  // in control messages, by the transport
        for (const int queue : {1, 16}) {
            context.queue = queue;
            expect_exact_plan({"laplace", size, 1}, Formulation::dataflow);
        }
    }
}

}  // namespace
}  // namespace quartet::cg
