#include "fft/dataflow/dataflow_plan.hpp"

#include <gtest/gtest.h>

#include "device/fft_factory.hpp"
#include "fft/dataflow/dataflow_role.hpp"
#include "fft/fake_session.hpp"
#include "support/counted_memory.hpp"

namespace quartet::fft {
namespace {

class DataflowPlanTest : public testing::TestWithParam<const char*> {};

INSTANTIATE_TEST_SUITE_P(Transports, DataflowPlanTest, testing::Values("mpi", "shm"),
                         [](const auto& instance) { return std::string(instance.param); });

// Buffers stay below one huge page here, so that all but windows are counted.
TEST_P(DataflowPlanTest, HasTheSizesThatEachRoleAllocates) {
    bench::CommonOptions options = short_runs();
    for (const int queue : {1, 16}) {
        options.queue = queue;
        const auto session = make_session(options);
        const int ranks = session->world().size();
        if (ranks < 2) {
            GTEST_SKIP() << "the data flow needs two ranks";
        }
        const DataflowPlan plan =
            plan_dataflow(*session, GetParam(), {64 * 80, 64, ResultOrder::natural},
                          comm::Roles::with_reducers(ranks, 1));
        const bool works = plan.role == comm::Role::worker;
        const device::FourStepFft shape = works ? plan.tile : plan.problem.shape(1, 0);
        const Bytes tables = session->device().ffts().four_step_fft_memory(shape);
        const Bytes limit = bytes_of<double>(plan.probes_link ? plan.tile.parts_size() : 0);
        const bench::Arena memory = memory_of(*session, plan);
        comm::Transport& transport = session->transport(GetParam());
        const std::int64_t before = device::buffer_bytes();

        const auto role = make_dataflow_role(*session, plan);
        flow::Hub hub(session->world(), nullptr);
        const flow::Queue made(hub, transport, plan.queue);

        const Bytes counted = memory.device() - tables - limit + memory.host() -
                              memory.in(bench::Room::host_window)-TransformCheck::memory(
                                  plan.problem.points, session->threads());
        const std::int64_t allocated = device::buffer_bytes() - before;
        EXPECT_GE(allocated, counted.value) << queue;
        EXPECT_LE(allocated, (counted + tables).value) << queue;
        session->world().barrier();
    }
}

}  // namespace
}  // namespace quartet::fft
