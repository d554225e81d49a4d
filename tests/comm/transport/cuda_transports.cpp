#include <unistd.h>

#include <cstdlib>
#include <string>

#include "comm/transport/transport_contract.hpp"
#include "device/cuda/cuda_device.hpp"

namespace quartet::comm {

namespace {

// For NCCL, ranks that share a GPU must be on hosts of their own, which talk by sockets.
void separate_ranks_for_nccl() {
    ::setenv("NCCL_HOSTID", ("process-" + std::to_string(::getpid())).c_str(), 1);
    ::setenv("NCCL_SOCKET_IFNAME", "lo", 1);
}

std::unique_ptr<device::Device> make_device(int local_rank, Trace& trace) {
    const device::DeviceKind kind = device::cuda_device();
    const std::size_t seen = kind.visible().size();
    if (seen == 1) {
        separate_ranks_for_nccl();
    }
    return kind.make({.number = device::accelerator_of_rank(local_rank, seen)}, trace);
}

}  // namespace

std::vector<TransportParameter> contract_parameters() {
    return parameters_over({"cuda", make_device, device::cuda_device().why_not},
                           device::MemoryKind::device);
}

}  // namespace quartet::comm
