#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <memory>
#include <ostream>
#include <string>
#include <thread>
#include <type_traits>
#include <vector>

#include "comm/communicator.hpp"
#include "comm/topology.hpp"
#include "comm/transport_registry.hpp"
#include "core/trace.hpp"
#include "device/host/host_device.hpp"

namespace quartet::comm {

/// One transport, in one setting and over one kind of stream, that the contract suites run over.
struct TransportParameter {
    std::string name;  ///< in the output of the tests
    std::string transport;
    TransportSettings settings;
    device::HostStreams streams = device::HostStreams::inline_call;
};

inline void PrintTo(const TransportParameter& parameter, std::ostream* out) {
    *out << parameter.name;
}

/// A transport over all ranks, a device and a stream. Tests are skipped, on all ranks alike, where
/// the transport cannot be had. Whatever it allocates is released on all ranks in the same order,
/// also where a test has failed.
class TransportContract : public testing::TestWithParam<TransportParameter> {
  protected:
    void SetUp() override {
        const TransportRegistry registry = TransportRegistry::standard();
        if (const auto reason = registry.why_not(GetParam().transport, context())) {
            GTEST_SKIP() << *reason;
        }
        transport = registry.make(GetParam().transport, context());
    }

    TransportContext context() { return {world, topology, *device, trace, GetParam().settings}; }

    [[nodiscard]] bool can(Capability capability) const { return transport->can(capability); }

    /// A buffer of this transport that holds `values`. Collective.
    template <typename T>
    device::Buffer<T> upload(const std::vector<T>& values) {
        device::Buffer<T> buffer = allocate<T>(*transport, std::ssize(values));
        std::ranges::copy(values, buffer.span().begin());
        return buffer;
    }

    /// Makes `values` appear in `target` some time after this call, in stream order: what uses them
    /// without minding the stream finds zeros. Both live until the stream is synchronised.
    template <typename T>
    void fill_late(const std::vector<T>& values, device::View<T> target);

    const Communicator world = Communicator::world();
    const int rank = world.rank();
    const int size = world.size();
    const Topology topology{world};
    Trace trace;
    std::unique_ptr<device::Device> device =
        device::make_host_device({.threads = 1, .streams = GetParam().streams}, trace);
    std::unique_ptr<device::Stream> stream = device->make_stream("contract");
    std::unique_ptr<Transport> transport;
};

template <typename T>
void TransportContract::fill_late(const std::vector<T>& values, device::View<T> target) {
    stream->enqueue(Phase::compute, "fill late", [&values, target] {
        std::this_thread::sleep_for(std::chrono::milliseconds(5));
        std::ranges::copy(values, target.data());
    });
}

/// What a view holds, as values to compare.
template <typename T>
std::vector<std::remove_const_t<T>> values_of(const device::View<T>& view) {
    return {view.data(), view.data() + view.size()};
}

/// The suites, each in a file of its own.
class MemoryOfTransport : public TransportContract {};
class PushContract : public TransportContract {};
class ExchangeContract : public TransportContract {};

}  // namespace quartet::comm
