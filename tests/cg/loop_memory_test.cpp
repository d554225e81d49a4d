#include "cg/loop.hpp"

#include <gtest/gtest.h>

#include "cg/case.hpp"
#include "cg/cg_session.hpp"
#include "comm/transport/registry/transport_registry.hpp"
#include "support/counted_memory.hpp"

namespace quartet::cg {
namespace {

using bench::Formulation;

/// Buffers stay below one huge page here, so that all but shared memory is counted.
class LoopMemoryTest : public testing::TestWithParam<const char*> {
  protected:
    void expect_exact_plan(const Problem& problem, Formulation formulation, int queue = 16) {
        bench::CommonOptions options;
        options.threads = 2;
        options.queue = queue;
        const auto session = make_session(options);
        comm::Transport& transport = session->transport(GetParam());
        bench::Arena arena;
        count_loop(arena, *session, bench::operation_memory(*session, GetParam()), problem,
                   formulation);
        Bytes counted = arena.device() + arena.host();
        if (transport.traits().location == comm::PartLocation::at_sender) {
            counted = counted - arena.in(bench::Room::device_window);
        }
        const bool flows = formulation == Formulation::dataflow;
        bench::Arena limit;  // made later
        if (flows) {
            limit.count(bytes_of<double>(2 * problem.size), bench::Room::host);
        }
        if (!flows || world.rank() != 0) {
            Limit::Buffers(limit, problem);
        }
        counted = counted - limit.host() - limit.device();
        const std::int64_t before = device::buffer_bytes();

        const auto loop = make_loop(*session, transport, problem, formulation);

        EXPECT_EQ(device::buffer_bytes() - before, counted.value)
            << name(formulation) << ", " << problem.size;
        world.barrier();
    }

    const comm::Communicator world = comm::Communicator::world();
};

INSTANTIATE_TEST_SUITE_P(Transports, LoopMemoryTest, testing::Values("mpi", "shm"),
                         [](const auto& instance) { return std::string(instance.param); });

TEST_P(LoopMemoryTest, NativeAllocatesExactlyWhatIsPlanned) {
    for (const std::int64_t size : {1, 37, 400}) {
        for (const Storage storage : {Storage::full, Storage::symmetric}) {
            expect_exact_plan({"laplace", size, 1, storage}, Formulation::native);
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
    if (GetParam() != comm::TransportRegistry::plain_mpi()) {
        GTEST_SKIP() << "payloads lie in shared memory";
    }
    for (const std::int64_t size : {37, 400}) {  // in control messages, by the transport
        for (const int queue : {1, 16}) {
            expect_exact_plan({"laplace", size, 1}, Formulation::dataflow, queue);
        }
    }
}

TEST(SolveCaseAllocation, ARunAllocatesNothing) {
    const auto session = make_session();
    for (const char* transport : {"mpi", "shm"}) {
        for (const Storage storage : {Storage::full, Storage::symmetric}) {
            SolveCase subject(*session, {Formulation::native, "host", transport},
                              {"random", 100, 20, storage}, {});
            bench::Clocks clocks(0);
            subject.prepare();
            const long before = device::allocations();

            subject.run(clocks);

            EXPECT_EQ(device::allocations() - before, 0) << transport << ", " << name(storage);
            EXPECT_TRUE(subject.verify().passed);
        }
    }
}

}  // namespace
}  // namespace quartet::cg
