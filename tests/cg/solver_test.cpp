#include "cg/solver.hpp"

#include <gtest/gtest.h>

#include "cg/dataflow/dataflow_iteration.hpp"
#include "comm/transport/transport_registry.hpp"
#include "device/host/runtime/host_device.hpp"
#include "device/matrix_factory.hpp"
#include "support/counting_device.hpp"

namespace quartet::cg {
namespace {

using bench::Formulation;

/// Solvers whose own memory and whose transport's memory are counted apart.
class SolverMemoryTest : public testing::Test {
  protected:
    void expect_exact_plan(const Problem& problem, Formulation formulation) {
        const Bytes before = device.allocated();
        const Bytes windows_before = windows.allocated();
        const bench::BufferPlan plan =
            plan_solver(device, problem, formulation, world.size(), world.rank(), context.queue);

        const auto solver = make_solver(context, *transport, problem, formulation);

        const Bytes own = plan.device() + plan.host() - plan.windows();
        EXPECT_EQ((device.allocated() - before).value, own.value) << name(formulation);
        // Beside the windows a reduce-scatter by messages allocates what it receives.
        const Bytes in_windows = windows.allocated() - windows_before;
        if (problem.storage == Storage::full) {
            EXPECT_EQ(in_windows.value, plan.windows().value) << name(formulation);
        } else {
            EXPECT_GE(in_windows.value, plan.windows().value) << name(formulation);
        }
    }

    static constexpr int threads = 2;
    const comm::Communicator world = comm::Communicator::world();
    const comm::Topology topology{world};
    Trace trace;
    std::unique_ptr<device::Device> host =
        device::make_host_device({threads, device::HostStreams::inline_call}, trace);
    device::CountingDevice device{*host, threads};
    device::CountingDevice windows{*host, threads};
    std::unique_ptr<device::Stream> stream = device.make_stream("solve", {});
    std::unique_ptr<comm::Transport> transport =
        comm::TransportRegistry::standard().make("mpi", {world, topology, windows, trace, {}});
    RankContext context{world, device, *stream, trace};
};

TEST_F(SolverMemoryTest, NativeAllocatesExactlyWhatIsPlanned) {
    for (const std::int64_t size : {1, 37, 500}) {
        for (const Storage storage : {Storage::full, Storage::symmetric}) {
            for (const Algorithm algorithm : {Algorithm::classic, Algorithm::single_reduction}) {
                expect_exact_plan({"laplace", size, 1, storage, algorithm}, Formulation::native);
            }
        }
    }
}

TEST_F(SolverMemoryTest, LibraryAllocatesExactlyWhatIsPlanned) {
    for (const std::int64_t size : {1, 37, 500}) {
        expect_exact_plan({"laplace", size, 1}, Formulation::library);
    }
}

TEST_F(SolverMemoryTest, DataflowAllocatesExactlyWhatIsPlannedBesideItsQueues) {
    if (world.size() == 1) {
        GTEST_SKIP() << "one rank has no worker beside the reducer";
    }
    const Problem problem{"laplace", 500, 1};
    const auto roles = roles_of(Formulation::dataflow, world.size());
    const bool reduces = roles.of(world.rank()) == comm::Role::reducer;
    const std::int64_t rows = problem.rows(roles, world.rank()).size();
    bench::BufferPlan plan;
    DataflowIteration::Buffers(plan, device, problem, roles, world.rank());
    const Bytes matrix =
        reduces ? Bytes{0} : device.matrices().matrix_memory(device::RowBlock{0, rows, 500});
    const Bytes before = device.allocated();

    const auto solver = make_solver(context, *transport, problem, Formulation::dataflow);

    EXPECT_EQ((device.allocated() - before).value, (plan.device() + plan.host() + matrix).value);
}

}  // namespace
}  // namespace quartet::cg
