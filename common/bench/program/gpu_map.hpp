#pragma once

#include <optional>
#include <string_view>
#include <vector>

#include "comm/mpi/communicator.hpp"
#include "comm/topology/topology.hpp"

namespace quartet::bench {

/// Which GPU each rank of a node uses, by local rank: "0,0,1". Numbers count the GPUs that a rank
/// sees, which CUDA_VISIBLE_DEVICES and the batch system decide.
using GpuMap = std::vector<int>;

/// Throws UsageError unless `text` is a list of numbers.
GpuMap parse_gpu_map(std::string_view text);

/// The GPU of this rank: from the map, else the node's ranks take the GPUs that they see in turn.
/// `visible` counts the GPUs that this rank sees, at least one. Throws UsageError, on all ranks
/// alike, where the map does not have one number for each rank of a node, names a GPU that is not
/// there, or differs between ranks. Collective over `world`.
int choose_gpu(const std::optional<GpuMap>& map, int visible, const comm::Topology& topology,
               const comm::Communicator& world);

}  // namespace quartet::bench
