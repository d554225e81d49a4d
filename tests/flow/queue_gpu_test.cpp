#include <algorithm>

#include "core/message_of.hpp"
#include "device/accelerator.hpp"
#include "device/cuda/cuda_device.hpp"
#include "flow/queue_fixture.hpp"

namespace quartet::flow {
namespace {

using comm::PayloadPlace;
using testing::HasSubstr;

/// A transport of GPU memory, and where its payloads lie.
struct Way {
    std::string transport;
    PayloadPlace place = PayloadPlace::host;
};

std::vector<Way> ways() {
    const auto registry = comm::TransportRegistry::standard();
    std::vector<Way> ways;
    for (const std::string& name : registry.names()) {
        const comm::TransportTraits& traits = registry.traits(name);
        if (traits.moves(device::MemoryKind::device) &&
            traits.can(comm::Capability::payload_channel)) {
            ways.push_back({name, PayloadPlace::host});
            ways.push_back({name, PayloadPlace::gpu});
        }
    }
    return ways;
}

/// Queues between ranks that compute on a GPU; rank 0 owns them.
class QueueOfGpusTest : public testing::TestWithParam<Way> {
  protected:
    void SetUp() override {
        const device::DeviceKind kind = device::cuda_device();
        if (const auto reason = world.first(kind.why_not())) {
            GTEST_SKIP() << "no CUDA device: " << *reason;
        }
        device = kind.make({.number = device::accelerator_of_rank(topology.mine().local_rank,
                                                                  kind.visible().size())},
                           trace);
        stream = device->make_stream("test");
        const auto registry = comm::TransportRegistry::standard();
        const comm::TransportContext context{world, topology, *device, trace, {}};
        if (const auto reason = registry.why_not(GetParam().transport, context)) {
            GTEST_SKIP() << *reason;
        }
        transport = registry.make(GetParam().transport, context);
        for (int other = 1; other < size; ++other) {
            others.push_back(other);
        }
    }

    [[nodiscard]] bool has_place() const {
        return GetParam().place == PayloadPlace::host ||
               transport->traits().payloads_for_gpus == PayloadPlace::gpu;
    }

    [[nodiscard]] QueuePlan plan_of(int bound, Bytes largest) const {
        return {.pushers = others,
                .bound = bound,
                .largest = largest,
                .order = DequeueOrder::arrival,
                .outgoing = 2,
                .place = GetParam().place};
    }

    // By the device's copies, which reach either memory.
    void push(Queue& queue, std::int64_t key) {
        auto bytes = payload_of(rank, key);
        const device::View<const std::byte> source(bytes.data(), std::ssize(bytes),
                                                   device::MemoryKind::host);
        const auto target = queue.next();
        EXPECT_EQ(target.kind() == device::MemoryKind::device,
                  GetParam().place == PayloadPlace::gpu);
        device->copy(source, target.part(0, source.size()), *stream);
        stream->synchronize();
        queue.push(key, source.bytes());
    }

    std::vector<std::byte> contents(const Item& item) {
        EXPECT_EQ(item.payload.kind() == device::MemoryKind::device,
                  GetParam().place == PayloadPlace::gpu);
        std::vector<std::byte> bytes(static_cast<std::size_t>(item.payload.size()));
        device->copy(item.payload, {bytes.data(), std::ssize(bytes), device::MemoryKind::host},
                     *stream);
        stream->synchronize();
        return bytes;
    }

    const comm::Communicator world = comm::Communicator::world();
    const int rank = world.rank();
    const int size = world.size();
    const comm::Topology topology{world};
    Trace trace;
    std::unique_ptr<device::Device> device;
    std::unique_ptr<device::Stream> stream;
    std::unique_ptr<comm::Transport> transport;
    std::vector<int> others;
    Hub hub{world};
};

INSTANTIATE_TEST_SUITE_P(Ways, QueueOfGpusTest, testing::ValuesIn(ways()),
                         [](const auto& instance) {
                             const bool on_gpu = instance.param.place == PayloadPlace::gpu;
                             return instance.param.transport + (on_gpu ? "_gpu" : "_host");
                         });

TEST_P(QueueOfGpusTest, DeliversPayloadsWhereThePlanWantsThem) {
    if (!has_place()) {
        GTEST_SKIP() << "its payloads lie on the host";
    }
    for (const Bytes largest : {Bytes{1000}, kibibytes(2)}) {  // of the host with and after headers
        for (const int bound : {1, 2, 7}) {
            Queue queue(hub, *transport, plan_of(bound, largest));
            for (int round = 0; round < 2; ++round) {
                constexpr int items = 12;
                if (rank == 0) {
                    std::vector<std::int64_t> next(static_cast<std::size_t>(size));
                    for (auto some = queue.dequeue(3); !some.empty(); some = queue.dequeue(3)) {
                        for (const Item& item : some) {
                            EXPECT_EQ(contents(item), payload_of(item.from, item.key));
                            EXPECT_EQ(item.key, 83 * next[static_cast<std::size_t>(item.from)]++);
                        }
                    }
                    EXPECT_EQ(std::ranges::count(next, items), size - 1);
                } else {
                    for (int item = 0; item < items; ++item) {
                        push(queue, 83 * item);
                    }
                    queue.close();
                }
                world.barrier();
            }
        }
    }
}

TEST_P(QueueOfGpusTest, TakesTheMemoryThatIsPlanned) {
    if (!has_place()) {
        GTEST_SKIP() << "its payloads lie on the host";
    }
    const comm::OperationMemory planned(
        transport->traits(), {.kind = device::MemoryKind::device, .nodes = topology.nodes()});
    const QueuePlan plan = plan_of(16, mebibytes(4));
    const comm::PayloadMemory memory = queue_memory(plan, planned, rank);
    const comm::PayloadMemory one =
        planned.payload_channel({.outgoing = 1, .largest = {1}, .place = plan.place});
    const bool on_gpu = plan.place == PayloadPlace::gpu;
    EXPECT_EQ(one.gpu.value > 0, on_gpu);
    EXPECT_EQ((one.host + one.windows).value > 0, !on_gpu);
    const Bytes before = device->accelerator()->memory().free;
    world.barrier();
    {
        const Queue queue(hub, *transport, plan);
        const Bytes taken = before - device->accelerator()->memory().free;
        if (on_gpu) {
            EXPECT_GE(taken, memory.gpu);
        } else {
            EXPECT_EQ(taken.value, 0);
        }
        world.barrier();
    }
}

TEST_P(QueueOfGpusTest, RefusesGpuMemoryThatTheTransportDoesNotServe) {
    if (has_place()) {
        GTEST_SKIP() << "it serves both";
    }
    EXPECT_THAT(message_of<Failure>([&] { Queue(hub, *transport, plan_of(2, kibibytes(4))); }),
                HasSubstr("on GPUs"));
    EXPECT_EQ(transport->traits().payload_place(device::MemoryKind::device), PayloadPlace::host);
}

}  // namespace
}  // namespace quartet::flow
