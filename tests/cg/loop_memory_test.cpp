#include "cg/case.hpp"

#include <gtest/gtest.h>

#include "bench/program/plan.hpp"
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
        session->add(planned_case(*session, {formulation, "host", GetParam()}, problem, {}));
        const bench::PlannedCase& planned = session->plan().front();
        const std::int64_t before = device::buffer_bytes();
        bench::find_needs(*session);
        EXPECT_EQ(device::buffer_bytes(), before) << "planning allocates nothing";

        device::Arena arena(session->device(), device::Arena::Mode::allocate);
        const auto made = planned.make(arena);
        made->set_up();
        made->prepare_limit(arena);

        EXPECT_EQ(arena.needs(), planned.needs);
        EXPECT_EQ(device::buffer_bytes() - before,
                  (planned.needs.host - elsewhere(problem, formulation)).value)
            << name(formulation) << ", " << problem.size;
        world.barrier();
    }

    /// What is planned and no buffer of the device that is there now: vectors of the CPU alone,
    /// shared memory, and what was freed at the end of the set-up.
    [[nodiscard]] Bytes elsewhere(const Problem& problem, Formulation formulation) const {
        const comm::Roles roles = roles_of(formulation, world.size());
        const std::int64_t rows = problem.rows(roles, world.rank()).size();
        const bool symmetric = problem.storage == Storage::symmetric;
        Bytes sum = system_memory(problem) + Verifier::memory(problem.size) +
                    bytes_of<double>(problem.iterations + 1);
        if (formulation != Formulation::library && roles.of(world.rank()) == comm::Role::worker) {
            sum = sum + bytes_of<double>(problem.size + (symmetric ? problem.size : rows));
        }
        if (GetParam() != comm::TransportRegistry::plain_mpi()) {
            const bool contributes = symmetric && world.size() > 1;
            sum = sum + bytes_of<double>(rows + (contributes ? problem.size : 0));
        }
        return sum;
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
            device::Arena arena(session->device(), device::Arena::Mode::allocate);
            SolveCase subject(arena, *session, {Formulation::native, "host", transport},
                              {"random", 100, 20, storage}, {});
            subject.set_up();
            subject.prepare();
            const long before = device::allocations();

            subject.run();

            EXPECT_EQ(device::allocations() - before, 0) << transport << ", " << name(storage);
            EXPECT_TRUE(subject.verify().passed);
        }
    }
}

}  // namespace
}  // namespace quartet::cg
