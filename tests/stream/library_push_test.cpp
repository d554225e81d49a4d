#include "stream/library_push.hpp"

#include <gtest/gtest.h>

#include "comm/transport/registry/transport_registry.hpp"
#include "device/host/host_device.hpp"
#include "stream/problem.hpp"

namespace quartet::stream {
namespace {

class LibraryPushTest : public testing::Test {
  protected:
    const comm::Communicator world = comm::Communicator::world();
    const comm::Topology topology{world};
    const int rank = world.rank();
    const int size = world.size();
    Trace trace;
    std::unique_ptr<device::Device> device = device::make_host_device({}, trace);
    std::unique_ptr<device::Stream> stream = device->make_stream("push");
    std::unique_ptr<comm::Transport> transport =
        comm::TransportRegistry::standard().make("mpi", {world, topology, *device, trace, {}});
};

TEST_F(LibraryPushTest, AddsEachSendersVectorOnceAPush) {
    constexpr std::int64_t elements = 70001;  // more than MPI sends at once
    for (int receiver = 0; receiver < size; receiver += size - 1) {
        Route route{{}, receiver};
        for (int r = 0; r < size; ++r) {
            if (r != receiver) {
                route.senders.push_back(r);
            }
        }
        const bool receives = rank == receiver;
        auto source = comm::allocate<float>(*transport, receives ? 0 : elements);
        auto target = comm::allocate<float>(*transport, receives ? elements : 0);
        fill_source(source.span(), 5, rank);
        LibraryPush push({route.senders, receiver, source.view(), target.view()}, *transport,
                         *device, rank);

        push.run(1, *stream);
        push.run(3, *stream);

        std::vector<float> expected(static_cast<std::size_t>(target.size()));
        fill_expected(expected, 5, route, 4);
        EXPECT_EQ(std::vector<float>(target.span().begin(), target.span().end()), expected);
    }
}

TEST_F(LibraryPushTest, ReturnsAtOnceOnRanksThatTakeNoPart) {
    if (size < 3) {
        GTEST_SKIP() << "with fewer than three ranks all take part";
    }
    const bool sends = rank == 1;
    const bool receives = rank == 0;
    auto source = comm::allocate<float>(*transport, sends ? 10 : 0);
    auto target = comm::allocate<float>(*transport, receives ? 10 : 0);
    LibraryPush push({{1}, 0, source.view(), target.view()}, *transport, *device, rank);
    if (!sends && !receives) {
        push.run(2, *stream);
    }
    world.barrier();  // which the two reach only after this
    if (sends || receives) {
        fill_source(source.span(), 5, 1);
        push.run(2, *stream);
    }
    std::vector<float> expected(static_cast<std::size_t>(target.size()));
    fill_expected(expected, 5, {{1}, 0}, 2);
    EXPECT_EQ(std::vector<float>(target.span().begin(), target.span().end()), expected);
}

}  // namespace
}  // namespace quartet::stream
