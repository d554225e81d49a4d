#include <array>
#include <utility>

#include "comm/transport/transport_contract.hpp"
#include "device/host/runtime/host_device.hpp"

namespace quartet::comm {

namespace {

DeviceChoice host(device::HostStreams streams) {
    return {"host",
            [streams](int, Trace& trace) {
                return device::make_host_device({.threads = 1, .streams = streams}, trace);
            },
            [] { return std::optional<std::string>(); }};
}

}  // namespace

// Each transport over both kinds of streams, and those that cut transfers into pieces also with
// very small pieces and without cutting.
std::vector<TransportParameter> contract_parameters() {
    constexpr std::array transports{"mpi", "shm", "rma", "grpc"};
    const TransportSettings defaults;
    const TransportSettings tiny{kibibytes(1), Pipeline::on};
    const TransportSettings whole{defaults.chunk, Pipeline::off};
    std::vector<TransportParameter> all;
    for (const auto& [streams, suffix] : {std::pair{device::HostStreams::inline_call, ""},
                                          std::pair{device::HostStreams::threaded, "_threaded"}}) {
        for (const std::string name : transports) {
            all.push_back({name + suffix, name, defaults, host(streams)});
            if (name != "shm") {
                all.push_back({name + "_tiny_pieces" + suffix, name, tiny, host(streams)});
                all.push_back({name + "_whole" + suffix, name, whole, host(streams)});
            }
        }
    }
    return all;
}

}  // namespace quartet::comm
