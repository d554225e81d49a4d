#pragma once

#include <memory>

#include "comm/mpi/communicator.hpp"
#include "comm/transport/staged/staged_link.hpp"
#include "device/device.hpp"

namespace quartet::comm {

/// A link by MPI messages between page-locked buffers of the host, `depth` in each direction. With
/// a depth of 1 a chunk is copied out, sent and copied in one after another. Local, making and
/// destroying, once nothing is under way.
std::unique_ptr<StagedLink> make_mpi_link(int peer, int depth, const Communicator& comm,
                                          device::Device& device);

}  // namespace quartet::comm
