#pragma once

#include <gmock/gmock.h>

#include <memory>
#include <string>
#include <vector>

#include "comm/transport/registry/transport_registry.hpp"
#include "device/host/host_device.hpp"
#include "flow/queue.hpp"

namespace quartet::flow {

/// Queues over one transport; rank 0 owns them unless a test says otherwise.
class QueueTest : public testing::TestWithParam<std::string> {
  protected:
    void SetUp() override {
        const auto registry = comm::TransportRegistry::standard();
        const comm::TransportContext context{world, topology, *device, trace, {}};
        if (const auto reason = registry.why_not(GetParam(), context)) {
            GTEST_SKIP() << *reason;
        }
        transport = registry.make(GetParam(), context);
        for (int other = 1; other < size; ++other) {
            others.push_back(other);
        }
    }

    const comm::Communicator world = comm::Communicator::world();
    const int rank = world.rank();
    const int size = world.size();
    const comm::Topology topology{world};
    Trace trace;
    std::unique_ptr<device::Device> device = device::make_host_device({}, trace);
    std::unique_ptr<comm::Transport> transport;
    std::vector<int> others;
    Hub hub{world};
};

// What `from` pushes under `key`: as long as the key says, and different for each.
inline std::vector<std::byte> payload_of(int from, std::int64_t key) {
    std::vector<std::byte> bytes(static_cast<std::size_t>(key % 977));
    for (std::size_t index = 0; index < bytes.size(); ++index) {
        bytes[index] = static_cast<std::byte>(index * 7 + static_cast<std::size_t>(from + key));
    }
    return bytes;
}

inline void push(Queue& queue, int from, std::int64_t key) {
    const auto bytes = payload_of(from, key);
    std::ranges::copy(bytes, queue.next().data());
    queue.push(key, {std::ssize(bytes)});
}

// All that move payloads of the host's memory.
inline std::vector<std::string> transports_of_queues() {
    const auto registry = comm::TransportRegistry::standard();
    auto names = registry.names();
    std::erase_if(names, [&](const std::string& name) {
        const comm::TransportTraits& traits = registry.traits(name);
        return !traits.moves(device::MemoryKind::host) ||
               !traits.can(comm::Capability::payload_channel);
    });
    return names;
}

}  // namespace quartet::flow
