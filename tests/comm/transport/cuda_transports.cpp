#include <unistd.h>

#include <cstdlib>
#include <string>

#include "comm/transport/transport_contract.hpp"
#include "device/registry.hpp"

namespace quartet::comm {

namespace {

// For NCCL, ranks that share a GPU must be on hosts of their own, which talk by sockets.
void separate_ranks_for_nccl() {
    ::setenv("NCCL_HOSTID", ("process-" + std::to_string(::getpid())).c_str(), 1);
    ::setenv("NCCL_SOCKET_IFNAME", "lo", 1);
}

std::unique_ptr<device::Device> make_device(int local_rank, Trace& trace) {
    const device::DeviceKind kind = device::cuda_device();
    const int seen = kind.visible();
    if (seen == 1) {
        separate_ranks_for_nccl();
    }
    return kind.make({.number = device::accelerator_of_rank(local_rank, seen)}, trace);
}

}  // namespace

// Each transport of GPU memory; those that cut transfers into pieces also with small pieces and
// without cutting.
std::vector<TransportParameter> contract_parameters() {
    const DeviceChoice cuda{"cuda", make_device, device::cuda_device().why_not};
    const TransportSettings defaults;
    std::vector<TransportParameter> all;
    for (const std::string name : {"mpi", "staged", "nccl", "ipc"}) {
        all.push_back({name, name, defaults, cuda});
    }
    all.push_back({"staged_small_pieces", "staged", {kibibytes(64), Pipeline::on}, cuda});
    all.push_back({"staged_tiny_pieces", "staged", {{1000}, Pipeline::on}, cuda});
    all.push_back({"staged_whole", "staged", {defaults.chunk, Pipeline::off}, cuda});
    all.push_back({"mpi_tiny_pieces", "mpi", {{1000}, Pipeline::on}, cuda});
    all.push_back({"mpi_whole", "mpi", {defaults.chunk, Pipeline::off}, cuda});
    all.push_back({"nccl_tiny_pieces", "nccl", {{1000}, Pipeline::on}, cuda});
    all.push_back({"nccl_whole", "nccl", {defaults.chunk, Pipeline::off}, cuda});
    return all;
}

}  // namespace quartet::comm
