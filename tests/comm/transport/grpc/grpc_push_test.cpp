#include "comm/transport/grpc/grpc_push.hpp"

#include <gmock/gmock.h>

#include <numeric>
#include <vector>

#include "core/message_of.hpp"
#include "device/host/runtime/host_device.hpp"

namespace quartet::comm {
namespace {

using testing::AnyOf;
using testing::HasSubstr;

class GrpcPushTest : public testing::Test {
  protected:
    /// From all other ranks to rank 0, whose target has that many elements.
    std::unique_ptr<Push> to_rank_0(std::int64_t of_target, std::int64_t of_sources, Bytes chunk) {
        std::vector<int> senders(static_cast<std::size_t>(world.size() - 1));
        std::iota(senders.begin(), senders.end(), 1);
        source.assign(static_cast<std::size_t>(of_sources), 1);
        target.assign(static_cast<std::size_t>(of_target), 0);
        const PushPlan plan{senders,
                            0,
                            {source.data(), of_sources, device::MemoryKind::host},
                            {target.data(), of_target, device::MemoryKind::host}};
        return make_grpc_push(plan, {world, topology, *device, trace, {.chunk = chunk}}, world,
                              "127.0.0.1", track);
    }

    const Communicator world = Communicator::world();
    const Topology topology{world};
    Trace trace;
    Track& track = trace.track("grpc");
    std::unique_ptr<device::Device> device = device::make_host_device(
        {.threads = 1, .streams = device::HostStreams::inline_call}, trace);
    std::unique_ptr<device::Stream> stream = device->make_stream("push");
    std::vector<float> source;
    std::vector<float> target;
};

// With one chunk that is larger than the target's it is the message's size that is refused.
TEST_F(GrpcPushTest, VectorsOfTwoSizesEndOnAllRanksInAFailure) {
    constexpr Bytes whole = mebibytes(1);
    constexpr Bytes parts = kibibytes(1);
    for (const auto& [of_target, of_sources, chunk] : {std::tuple{900, 1000, whole},
                                                       {1000, 900, whole},
                                                       {900, 1000, parts},
                                                       {1000, 900, parts}}) {
        const auto push = to_rank_0(of_target, of_sources, chunk);
        EXPECT_THAT(message_of<Failure>([&] { push->run(1, *stream); }),
                    AnyOf(HasSubstr("is next"), HasSubstr("the receiver has closed the stream"),
                          HasSubstr("before its last chunk")));
    }
}

TEST_F(GrpcPushTest, AHostThatIsNotHereIsSaidOnAllRanks) {
    const PushPlan plan{{1}, 0, {}, {}};
    EXPECT_THAT(
        message_of<Failure>([&] {
            make_grpc_push(plan, {world, topology, *device, trace, {}}, world, "192.0.2.1", track);
        }),
        HasSubstr("cannot listen on 192.0.2.1"));
}

}  // namespace
}  // namespace quartet::comm
