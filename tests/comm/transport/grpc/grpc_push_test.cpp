#include "comm/transport/grpc/grpc_push.hpp"

#include <gmock/gmock.h>

#include "core/message_of.hpp"
#include "device/host/host_device.hpp"

namespace quartet::comm {
namespace {

TEST(GrpcPush, AHostThatIsNotHereIsSaidOnAllRanks) {
    const Communicator world = Communicator::world();
    const Topology topology(world);
    Trace trace;
    const auto device = device::make_host_device({}, trace);
    const PushPlan plan{{1}, 0, {}, {}};
    EXPECT_THAT(message_of<Failure>([&] {
                    make_grpc_push(plan, {world, topology, *device, trace, {}}, world, "192.0.2.1",
                                   trace.track("grpc"));
                }),
                testing::HasSubstr("cannot listen on 192.0.2.1"));
}

}  // namespace
}  // namespace quartet::comm
