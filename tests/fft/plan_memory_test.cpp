#include "fft/formulations.hpp"

#include <gtest/gtest.h>

#include "fft/fake_session.hpp"
#include "fft/limit.hpp"
#include "fft/verify.hpp"
#include "support/counted_memory.hpp"

namespace quartet::fft {
namespace {

/// Buffers stay below one huge page here, so that all but shared memory is counted.
class NativePlanTest : public testing::TestWithParam<const char*> {
  protected:
    // Skips the test, on all ranks alike, where the transport cannot be had.
    void SetUp() override {
        if (const auto reason =
                session->registry().why_not(GetParam(), session->transport_context())) {
            GTEST_SKIP() << *reason;
        }
    }

    // Of what is planned, the device's buffers and exchanges, without the FFT plans' own memory and
    // the limit's.
    [[nodiscard]] Bytes counted(const NativePlan& plan) {
        bench::Arena limit;
        TransformLimit::count(limit, plan.problem, world.size());
        const bench::Arena memory = memory_of(*session, plan);
        const Bytes workspace = plan.ffts->four_step_memory(plan.shape);
        const Bytes buffers = memory.device() - workspace - limit.device();
        const Bytes windows =
            memory.in(bench::Room::device_window)-limit.in(bench::Room::device_window);
        return session->registry().traits(GetParam()).location == comm::PartLocation::at_sender
                   ? buffers - windows
                   : buffers;
    }

    const comm::Communicator world = comm::Communicator::world();
    std::unique_ptr<bench::Session> session = make_session(short_runs());
};

TEST_P(NativePlanTest, HasTheSizesThatACaseAllocates) {
    session->transport(GetParam());  // made before
    for (const ResultOrder order : {ResultOrder::transposed, ResultOrder::natural}) {
        for (const auto& [tiles, length] : {std::pair{64, 96}, {10, 81}, {2, 3}, {1, 1}}) {
            const Problem problem{std::int64_t{tiles} * length, tiles, order};
            const NativePlan planned = plan_native(*session, GetParam(), problem, {});
            const std::int64_t before = device::buffer_bytes();

            const auto made = make_native_case(*session, planned);

            const std::int64_t allocated = device::buffer_bytes() - before;
            const Bytes beside = planned.ffts->four_step_memory(planned.shape) +
                                 TransformCheck::memory(problem.points, session->threads());
            EXPECT_GE(allocated, counted(planned).value) << tiles << " x " << length;
            EXPECT_LE(allocated, (counted(planned) + beside).value) << tiles << " x " << length;
            world.barrier();
        }
    }
}

INSTANTIATE_TEST_SUITE_P(Transports, NativePlanTest, testing::Values("mpi", "shm"),
                         [](const auto& instance) { return std::string(instance.param); });

class DataflowPlanTest : public testing::TestWithParam<const char*> {};

INSTANTIATE_TEST_SUITE_P(Transports, DataflowPlanTest, testing::Values("mpi"),
                         [](const auto& instance) { return std::string(instance.param); });

// Buffers stay below one huge page here, so that all are counted.
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
        const FourStepFft shape = works ? plan.tile : plan.problem.shape(1, 0);
        const Bytes tables = plan.ffts->four_step_memory(shape);
        const Bytes limit = bytes_of<double>(plan.probes_link ? plan.tile.parts_size() : 0);
        const bench::Arena memory = memory_of(*session, plan);
        session->transport(GetParam());  // made before
        const std::int64_t before = device::buffer_bytes();

        const auto made = make_dataflow_case(*session, plan);

        const Bytes check = TransformCheck::memory(plan.problem.points, session->threads());
        const Bytes counted = memory.device() - tables - limit + memory.host() - check;
        const std::int64_t allocated = device::buffer_bytes() - before;
        EXPECT_GE(allocated, counted.value) << queue;
        EXPECT_LE(allocated, (counted + tables + check).value) << queue;
        session->world().barrier();
    }
}

}  // namespace
}  // namespace quartet::fft
