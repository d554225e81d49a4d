#pragma once

#include <memory>
#include <span>

#include "comm/mpi/communicator.hpp"
#include "comm/transport/transport.hpp"
#include "core/trace.hpp"

namespace quartet::comm {

// The buffer as MPI takes it. It may lie in memory of an accelerator, which the CPU must not touch.
template <typename T>
std::span<T> as_mpi_buffer(const device::View<T>& view) {
    return {view.data(), static_cast<std::size_t>(view.size())};
}

/// MPI's own collective operations, their counts prepared. Collective over `comm`, which outlives
/// them as do device and track.
std::unique_ptr<Collective> make_mpi_all_gather(const AllGatherPlan& plan, const Communicator& comm,
                                                Track& track);
std::unique_ptr<Collective> make_mpi_reduce_scatter(const ReduceScatterPlan& plan,
                                                    const Communicator& comm, Track& track);
/// Receives into memory of its own.
std::unique_ptr<Exchange> make_mpi_exchange(const ExchangePlan& plan, const Communicator& comm,
                                            device::Device& device, Track& track);

}  // namespace quartet::comm
