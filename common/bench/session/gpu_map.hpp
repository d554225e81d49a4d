#pragma once

#include <optional>
#include <string>
#include <vector>

#include "comm/mpi/communicator.hpp"
#include "comm/topology/topology.hpp"

namespace quartet::bench {

/// Which GPU each rank of a node uses, by local rank: "0,0,1". Numbers count the GPUs that a rank
/// sees, which CUDA_VISIBLE_DEVICES and the batch system decide.
using GpuMap = std::vector<int>;

/// Assigns the GPUs of a node to its ranks: `distances[rank][gpu]` says how far each is from the
/// rank's cores. No GPU gets a second rank before each has one. Among the GPUs that this leaves
/// free, the nearest pairs come first. At equal distances the ranks take the GPUs in turn.
GpuMap deal_gpus(const std::vector<std::vector<int>>& distances);

/// The GPU of this rank: from the map, else as deal_gpus() assigns those that the node's ranks see.
/// If the ranks do not see the same GPUs, or the system does not tell where a GPU is, they take
/// them in turn. `visible` has the PCI addresses of the GPUs that this rank sees, at least one.
/// Throws UsageError, on all ranks alike, if the map does not have one number for each rank of a
/// node, names a GPU that is not there, or differs between ranks. Collective over `world`.
int choose_gpu(const std::optional<GpuMap>& map, const std::vector<std::string>& visible,
               const comm::Topology& topology, const comm::Communicator& world);

}  // namespace quartet::bench
