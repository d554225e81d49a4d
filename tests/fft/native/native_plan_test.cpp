#include "fft/native/native_plan.hpp"

#include <gtest/gtest.h>

#include "fft/fake_session.hpp"
#include "fft/native/native_transform.hpp"
#include "support/counting_device.hpp"

namespace quartet::fft {
namespace {

class NativePlanTest : public testing::TestWithParam<const char*> {
  protected:
    // Skips the test, on all ranks alike, where the transport cannot be had.
    void SetUp() override {
        if (const auto reason =
                session->registry().why_not(GetParam(), session->transport_context())) {
            GTEST_SKIP() << *reason;
        }
    }

    [[nodiscard]] NativePlan plan(const Problem& problem, const bench::DataOptions& data = {}) {
        return plan_native(*session, GetParam(), problem, data);
    }

    const comm::Communicator world = comm::Communicator::world();
    std::unique_ptr<bench::Session> session = make_session(short_runs());
};

TEST_P(NativePlanTest, HasTheSizesThatATransformAllocates) {
    for (const ResultOrder order : {ResultOrder::transposed, ResultOrder::natural}) {
        for (const auto& [tiles, length] : {std::pair{64, 96}, {10, 81}, {2, 3}, {1, 1}}) {
            const Problem problem{std::int64_t{tiles} * length, tiles, order};
            const NativePlan planned = plan(problem);
            device::CountingDevice device(session->device(), session->threads());
            const comm::TransportContext context{
                world, session->topology(), device, session->trace(), {}};
            const auto transport = session->registry().make(GetParam(), context);
            const Bytes before = device.allocated();  // of the transport itself

            auto input = device::allocate<Point>(device, planned.input);
            const auto transform = make_native_transform(planned, device, *transport, input.view());

            const Bytes in_windows =
                planned.in_windows ? bytes_of<double>(planned.parts) + bytes_of<Point>(planned.bins)
                                   : Bytes{};
            const Bytes buffers = bytes_of<Point>(planned.input + planned.result + planned.bins) +
                                  bytes_of<double>(planned.parts) + planned.received;
            EXPECT_EQ((device.allocated() - before).value, (buffers - in_windows).value)
                << tiles << " x " << length << ", " << name(order);
        }
    }
}

TEST_P(NativePlanTest, AnnouncesTheSumOfItsSizes) {
    const NativePlan planned = plan({64 * 96, 64, ResultOrder::natural});

    const MemoryNeeds needs = planned.memory();

    const Bytes sent = bytes_of<double>(planned.parts) + bytes_of<Point>(planned.bins);
    EXPECT_EQ(needs.host.value,
              (bytes_of<Point>(planned.input + planned.result) + sent + planned.received +
               2 * planned.probe + planned.workspace + planned.host_work)
                  .value);
    EXPECT_EQ(needs.windows.value, planned.in_windows ? (sent + planned.probe).value : 0);
    EXPECT_EQ(needs.device.value, 0);
}

INSTANTIATE_TEST_SUITE_P(Transports, NativePlanTest, testing::Values("mpi", "shm"),
                         [](const auto& instance) { return std::string(instance.param); });

TEST(NativePlan, HasNoReceiveBufferWherePartsAreReadInPlace) {
    const auto session = make_session(short_runs());
    const std::int64_t tiles = 4 * session->world().size();
    const auto received = [&](const std::string& transport) {
        return plan_native(*session, transport, {64 * tiles, tiles, ResultOrder::natural}, {})
            .received.value;
    };
    EXPECT_EQ(received("shm"), 0);
    EXPECT_EQ(received("ipc"), 0);
    for (const char* transport : {"mpi", "nccl", "staged"}) {
        EXPECT_EQ(received(transport) > 0, session->world().size() > 1) << transport;
    }
}

TEST(NativePlan, CountsMemoryOfAGpuApart) {
    NativePlan plan;
    plan.kind = device::MemoryKind::device;
    plan.input = 1000;
    plan.result = 1000;
    plan.parts = 2048;
    plan.received = {512};
    plan.probe = {256};
    plan.staging = 100;
    plan.workspace = {64};
    plan.host_work = {32};

    const MemoryNeeds needs = plan.memory();

    EXPECT_EQ(needs.device.value, 2 * 16000 + 8 * 2048 + 512 + 2 * 256 + 64);
    EXPECT_EQ(needs.host.value, 1600 + 32);
    EXPECT_EQ(needs.windows.value, 0);
}

}  // namespace
}  // namespace quartet::fft
