#pragma once

#include <memory>

#include "comm/transport.hpp"
#include "comm/window_pool.hpp"
#include "core/trace.hpp"

namespace quartet::comm {

/// What the collective operations of shared windows are made from; all of it outlives them.
struct ShmContext {
    const Communicator& comm;
    const WindowPool& pool;
    device::Device& device;
    Track& track;
};

/// The ranks of one node read each other's memory in place: what others read must lie in the pool.
/// Collective, as are the operations.
std::unique_ptr<Collective> make_shm_all_gather(const AllGatherPlan& plan, ShmContext context);
std::unique_ptr<Collective> make_shm_reduce_scatter(const ReduceScatterPlan& plan,
                                                    ShmContext context);
/// Its parts lie in the senders' memory.
std::unique_ptr<Exchange> make_shm_exchange(const ExchangePlan& plan, ShmContext context);

}  // namespace quartet::comm
