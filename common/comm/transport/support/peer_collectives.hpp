#pragma once

#include <memory>

#include "comm/mpi/communicator.hpp"
#include "comm/transport/transport.hpp"
#include "comm/windows/peer_memory.hpp"
#include "core/trace.hpp"

namespace quartet::comm {

/// What the collective operations of peer memory are made from; all of it outlives them.
struct PeerContext {
    const Communicator& comm;
    const PeerMemory& memory;
    device::Device& device;
    Track& track;
};

/// The ranks of one node read each other's memory in place: what others read must be peer memory.
/// Collective, as are the operations.
std::unique_ptr<Collective> make_peer_all_gather(const AllGatherPlan& plan, PeerContext context);
/// What make_peer_reduce_scatter() allocates on a GPU.
Bytes peer_reduce_scatter_memory(int ranks, Bytes mine);
std::unique_ptr<Collective> make_peer_reduce_scatter(const ReduceScatterPlan& plan,
                                                     PeerContext context);
/// Its parts lie in the senders' memory.
std::unique_ptr<Exchange> make_peer_exchange(const ExchangePlan& plan, PeerContext context);

}  // namespace quartet::comm
