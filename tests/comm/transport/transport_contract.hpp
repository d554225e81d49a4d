#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <functional>
#include <memory>
#include <optional>
#include <ostream>
#include <string>
#include <thread>
#include <type_traits>
#include <vector>

#include "comm/mpi/communicator.hpp"
#include "comm/topology/topology.hpp"
#include "comm/transport/registry/transport_registry.hpp"
#include "core/trace.hpp"
#include "device/device.hpp"

namespace quartet::comm {

/// A device that the ranks compute on.
struct DeviceChoice {
    std::string name;
    std::function<std::unique_ptr<device::Device>(int local_rank, Trace&)> make;
    std::function<std::optional<std::string>()> why_not;
};

/// One transport, in one setting and over one device, that the contract suites run over.
struct TransportParameter {
    std::string name;  ///< in the output of the tests
    std::string transport;
    TransportSettings settings;
    DeviceChoice device;
    /// Makes it otherwise than the registry does, if given.
    std::function<std::unique_ptr<Transport>(const TransportContext&)> make{};
};

/// The parameters of the suites: what each executable runs them over.
std::vector<TransportParameter> contract_parameters();

/// All transports of the registry that move the device's memory. Those that cut transfers also run
/// with small and tiny chunks, and without cutting. `suffix` ends the parameters' names.
std::vector<TransportParameter> parameters_over(const DeviceChoice& device,
                                                device::MemoryKind memory,
                                                const std::string& suffix = "");

inline void PrintTo(const TransportParameter& parameter, std::ostream* out) {
    *out << parameter.name;
}

template <typename T>
device::View<const T> view_of(const std::vector<T>& values) {
    return {values.data(), std::ssize(values), device::MemoryKind::host};
}

/// Copies through a device's own stream, waited for.
template <typename T>
void write_values(device::Device& device, const std::vector<T>& values, device::View<T> target) {
    const auto stream = device.make_stream("write");
    device.copy(device::as_bytes(view_of(values)),
                device::as_bytes(target.part(0, std::ssize(values))), *stream);
    stream->synchronize();
}
template <typename T>
std::vector<std::remove_const_t<T>> read_values(device::Device& device,
                                                const device::View<T>& view) {
    std::vector<std::remove_const_t<T>> values(static_cast<std::size_t>(view.size()));
    const auto stream = device.make_stream("read");
    device.copy(device::as_bytes(device::View<const std::remove_const_t<T>>(view)),
                device::View<std::byte>(reinterpret_cast<std::byte*>(values.data()),
                                        view.bytes().value, device::MemoryKind::host),
                *stream);
    stream->synchronize();
    return values;
}

/// A transport over all ranks, a device and a stream. Tests are skipped, on all ranks alike, where
/// the transport cannot be had. Whatever it allocates is released on all ranks in the same order,
/// also if a test has failed.
class TransportContract : public testing::TestWithParam<TransportParameter> {
  protected:
    void SetUp() override {
        if (const auto reason = world.first(GetParam().device.why_not())) {
            GTEST_SKIP() << *reason;
        }
        device = GetParam().device.make(topology.mine().local_rank, trace);
        stream = device->make_stream("contract");
        arena.emplace(*device, device::Arena::Mode::allocate);
        const TransportRegistry registry = TransportRegistry::standard();
        if (const auto reason = registry.why_not(GetParam().transport, context())) {
            GTEST_SKIP() << *reason;
        }
        transport = GetParam().make ? GetParam().make(context())
                                    : registry.make(GetParam().transport, context());
    }

    TransportContext context() { return {world, topology, *device, trace, GetParam().settings}; }

    /// A buffer of this transport that holds `values`. Collective.
    template <typename T>
    device::Buffer<T> upload(const std::vector<T>& values) {
        device::Buffer<T> buffer = allocate<T>(*arena, *transport, std::ssize(values));
        write(values, buffer.view());
        return buffer;
    }

    /// Puts `values` at the beginning of `target`; done when it returns, and no work of `stream`.
    template <typename T>
    void write(const std::vector<T>& values, device::View<T> target) const {
        write_values(*device, values, target);
    }
    /// What a view holds, whether or not work of `stream` is still to come.
    template <typename T>
    [[nodiscard]] std::vector<std::remove_const_t<T>> read(const device::View<T>& view) const {
        return read_values(*device, view);
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
    std::unique_ptr<device::Device> device;
    std::unique_ptr<device::Stream> stream;
    std::optional<device::Arena> arena;
    std::unique_ptr<Transport> transport;
};

template <typename T>
void TransportContract::fill_late(const std::vector<T>& values, device::View<T> target) {
    stream->enqueue(Phase::compute, "be late",
                    [] { std::this_thread::sleep_for(std::chrono::milliseconds(5)); });
    device->copy(device::as_bytes(view_of(values)), device::as_bytes(target), *stream);
}

/// The suites, each in a file of its own.
class MemoryOfTransport : public TransportContract {};
class PushContract : public TransportContract {};
class ExchangeContract : public TransportContract {};

}  // namespace quartet::comm
