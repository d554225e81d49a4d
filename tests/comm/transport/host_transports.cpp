#include "comm/transport/transport_contract.hpp"
#include "device/host/host_device.hpp"

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

// Over both kinds of streams.
std::vector<TransportParameter> contract_parameters() {
    auto all = parameters_over(host(device::HostStreams::inline_call), device::MemoryKind::host);
    const auto threaded =
        parameters_over(host(device::HostStreams::threaded), device::MemoryKind::host, "_threaded");
    all.insert(all.end(), threaded.begin(), threaded.end());
    // What is longer than MPI counts goes in several messages: here already short ones.
    all.push_back(
        {"mpi_in_small_messages",
         "mpi",
         {},
         host(device::HostStreams::inline_call),
         [](const TransportContext& context) { return make_mpi_transport(context, Bytes{777}); }});
    return all;
}

}  // namespace quartet::comm
