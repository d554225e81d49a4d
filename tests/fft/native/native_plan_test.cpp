#include "fft/native/native_plan.hpp"

#include <gtest/gtest.h>

#include "device/fft_factory.hpp"
#include "fft/fake_session.hpp"
#include "fft/native/native_transform.hpp"
#include "fft/problem/transform_limit.hpp"
#include "support/counted_memory.hpp"

namespace quartet::fft {
namespace {

/// Buffers stay below one huge page here, so that all but windows are counted.
class NativePlanTest : public testing::TestWithParam<const char*> {
  protected:
    // Skips the test, on all ranks alike, where the transport cannot be had.
    void SetUp() override {
        if (const auto reason =
                session->registry().why_not(GetParam(), session->transport_context())) {
            GTEST_SKIP() << *reason;
        }
    }

    // What the FFT plans of a transform allocate of such buffers.
    [[nodiscard]] std::int64_t tables(const NativePlan& plan) {
        device::FftFactory& ffts = session->device().ffts();
        const std::int64_t before = device::buffer_bytes();
        const auto column_ffts = ffts.plan_column_ffts(plan.shape);
        const auto row_ffts = ffts.plan_row_ffts(plan.shape);
        const auto transpose =
            plan.algorithm == Algorithm::natural ? ffts.plan_transpose(plan.shape) : nullptr;
        return device::buffer_bytes() - before;
    }

    // Of what is planned, the device's buffers and exchanges, without the FFT plans' own memory and
    // the limit's.
    [[nodiscard]] Bytes counted(const NativePlan& plan) {
        bench::Arena limit;
        TransformLimit::count(limit, plan.problem, world.size());
        const bench::Arena memory = memory_of(*session, plan);
        const Bytes workspace = session->device().ffts().four_step_fft_memory(plan.shape);
        const Bytes buffers = memory.device() - workspace - limit.device();
        const Bytes windows =
            memory.in(bench::Room::device_window)-limit.in(bench::Room::device_window);
        return session->registry().traits(GetParam()).windows ? buffers - windows : buffers;
    }

    const comm::Communicator world = comm::Communicator::world();
    std::unique_ptr<bench::Session> session = make_session(short_runs());
};

TEST_P(NativePlanTest, HasTheSizesThatATransformAllocates) {
    comm::Transport& transport = session->transport(GetParam());
    for (const ResultOrder order : {ResultOrder::transposed, ResultOrder::natural}) {
        for (const auto& [tiles, length] : {std::pair{64, 96}, {10, 81}, {2, 3}, {1, 1}}) {
            const Problem problem{std::int64_t{tiles} * length, tiles, order};
            const NativePlan planned = plan_native(*session, GetParam(), problem, {});
            const std::int64_t of_ffts = tables(planned);
            const std::int64_t before = device::buffer_bytes();

            bench::Arena arena(session->device(), transport);
            auto input = arena.make<Point>(planned.shape.input_points());
            NativeBuffers buffers(arena, planned);
            const auto transform =
                make_native_transform(planned, session->device(), transport, input.view(), buffers);

            EXPECT_EQ(device::buffer_bytes() - before, counted(planned).value + of_ffts)
                << tiles << " x " << length << ", " << name(order);
            world.barrier();
        }
    }
}

INSTANTIATE_TEST_SUITE_P(Transports, NativePlanTest, testing::Values("mpi", "shm"),
                         [](const auto& instance) { return std::string(instance.param); });

TEST(NativePlan, HasNoReceiveBufferWherePartsAreReadInPlace) {
    const auto session = make_session(short_runs());
    const std::int64_t tiles = 4 * session->world().size();
    const auto memory = [&](const std::string& transport) {
        const Problem problem{64 * tiles, tiles, ResultOrder::natural};
        return memory_of(*session, plan_native(*session, transport, problem, {})).device();
    };
    const Bytes in_place = memory("shm");
    EXPECT_EQ(memory("ipc"), in_place);
    for (const char* transport : {"mpi", "nccl", "staged"}) {
        EXPECT_EQ(memory(transport) > in_place, session->world().size() > 1) << transport;
    }
}

}  // namespace
}  // namespace quartet::fft
